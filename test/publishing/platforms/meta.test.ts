import { expect, it } from 'vitest';
import type { TargetOptions } from '../../../functions/posts/target-options.ts';
import { facebookPublisher } from '../../../functions/publishing/platforms/facebook/facebook-publisher.ts';
import { instagramPublisher } from '../../../functions/publishing/platforms/instagram/instagram-publisher.ts';
import { seededRandom } from '../../../local/edge/seeded-random.ts';
import { fakeFacebook } from '../../../local/platforms/facebook.ts';
import type { FakeWorld, ShownPost } from '../../../local/platforms/fake-platform.ts';
import { fakeInstagram } from '../../../local/platforms/instagram.ts';
import { breachesOf } from '../simulation/oracle.ts';
import { forSeeds, untilQuiet } from '../simulation/seeds.ts';
import {
  type ServiceOptions,
  type SimulatedService,
  simulatedService,
} from '../simulation/simulated-service.ts';
import type { World } from '../simulation/world.ts';
import { LIE_NAMES, type Lie, lyingClient } from './lying-client.ts';
import { fetchSimulated, putMedia, SIMULATED_FILES } from './simulated-media.ts';

const FAULTS = ['crash-before', 'crash-after', 'fail-before', 'lose-reply'] as const;

const LIMITED = { status: 400, body: { error: { code: 4, error_subcode: 2207051, message: 'blocked' } } };
const BROKEN = { status: 500, body: { error: { code: 2, message: 'temporarily unavailable' } } };

const URLS = {
  facebook: 'https://graph.test/platforms/facebook/v26.0',
  instagram: 'https://graph.test/platforms/instagram/v26.0',
};

const PLATFORMS = {
  meta_facebook: { access_token: 'EAA-100-x', page_id: '100' },
  meta_instagram: { access_token: 'EAA-200-x', ig_user_id: '200' },
} as const;

type Files = readonly Parameters<typeof putMedia>[2][];
const IMAGE = { kind: 'image' } as const;
const REEL = { kind: 'video' } as const;
const WIDE = { kind: 'video', width: 1920, height: 1080, duration_ms: 200_000 } as const;

/** What is published, by platform. */
const POSTS: Record<keyof typeof PLATFORMS, readonly (readonly [Files, TargetOptions?])[]> = {
  meta_facebook: [
    [[]],
    [[IMAGE], { image_alt_texts: ['a loaf'], share_to_story: true }],
    [[IMAGE, IMAGE, IMAGE]],
    [[WIDE], { video_title: 'Baking' }],
    [[REEL], { share_to_story: true }],
  ],
  meta_instagram: [
    [[IMAGE], { image_alt_texts: ['a loaf'], collaborators: ['baker'] }],
    [[IMAGE, REEL, IMAGE], { share_to_story: true }],
    [[REEL], { share_to_feed: false }],
  ],
};

/** A service whose Facebook and Instagram lie as they are told. */
function metaService(
  seed: number,
  platform: keyof typeof PLATFORMS,
  lies: (world: World, call: { method: string }) => Lie,
  troubles: Pick<ServiceOptions, 'faults' | 'publishQueue'> = {},
) {
  let posts: () => readonly ShownPost[] = () => [];
  let fakes: ReturnType<typeof fakeFacebook>[] | undefined;
  const service = simulatedService(seed, {
    ...troubles,
    credentials: PLATFORMS[platform],
    publishers: (process, world) => {
      fakes ??= fakesOf(world);
      const [facebook, instagram] = fakes;
      posts = () => [...(facebook?.posts() ?? []), ...(instagram?.posts() ?? [])];
      const client = lyingClient({
        ...{ world, process, limited: LIMITED, broken: BROKEN },
        platformOf: ({ pathname }) => (pathname.startsWith('/platforms/facebook') ? facebook : instagram),
        lies: (call) => lies(world, call),
      });
      const needs = { client, files: SIMULATED_FILES as never, random: world.random };
      return {
        meta_facebook: facebookPublisher({ graph: URLS.facebook, ...needs }),
        meta_instagram: instagramPublisher({ urls: URLS, clock: process.clock, ...needs }),
      };
    },
  });
  return { service, posts: () => posts() };
}

function fakesOf(world: World) {
  const outside: FakeWorld = {
    url: 'https://graph.test/platforms',
    clock: world.now,
    fetchFile: fetchSimulated,
    processingMs: world.between(0, 90_000),
    isRepeatable: true,
  };
  const instagram = fakeInstagram(outside);
  return [fakeFacebook(outside, instagram), instagram];
}

/** One post to each; what broke the promises. */
async function history(
  { service, posts }: { service: SimulatedService; posts: () => readonly ShownPost[] },
  platform: keyof typeof PLATFORMS,
  [files, options]: readonly [Files, TargetOptions?],
): Promise<string[]> {
  const workspace = service.workspace([platform]);
  const media = files.map((file) => putMedia(service, workspace.id, file));
  void service.create(workspace, 'now', 'Fresh bread', { media, options });
  await untilQuiet(service, 40 * 3_600_000);

  const target = String([...service.table.all()].find(({ channel_id }) => channel_id !== undefined)?.id);
  const [stories, main] = [true, false].map((isStory) =>
    posts().filter(({ kind }) => (kind === 'story') === isStory),
  );
  const publications = (main ?? []).map((post) => ({
    id: post.id,
    target,
    atMs: Date.parse(post.published_at) + 1000,
  }));
  if (process.env.STATS)
    console.log(
      String([...service.table.all()].find(({ targets_of_channel }) => targets_of_channel)?.status) +
        ' ' +
        String([...service.table.all()].find(({ targets_of_channel }) => targets_of_channel)?.error_message),
    );
  const breaches = breachesOf({ ...service, platform: { ...service.platform, publications } });
  if ((stories ?? []).length > 1) breaches.push(`${stories?.length} stories were shared`);
  return breaches;
}

it.each(Object.keys(PLATFORMS) as (keyof typeof PLATFORMS)[])(
  'publishes every kind of post to %s, with its address and its story',
  async (platform) => {
    for (const [files, options] of POSTS[platform]) {
      const made = metaService(1, platform, () => 'truth');

      expect(await history(made, platform, [files, options])).toEqual([]);

      const [target] = [...made.service.table.all()].filter(({ targets_of_channel }) => targets_of_channel);
      expect(target).toMatchObject({ status: 'posted', external_post_id: expect.any(String) });
      expect(target?.external_post_url).toContain(String(target?.external_post_id));
      const kinds = made.posts().map(({ kind }) => kind);
      expect(kinds.includes('story')).toBe(options?.share_to_story === true);
    }
  },
);

it.each(Object.keys(PLATFORMS) as (keyof typeof PLATFORMS)[])(
  'never makes two posts on %s, loses none that is out, and leaves nothing stuck, whatever it answers',
  async (platform) => {
    await forSeeds(75, async (seed) => {
      const chance = seededRandom(seed);
      const made = metaService(
        seed,
        platform,
        (world, { method }) =>
          world.random() < (method === 'GET' ? 0.15 : 0.35)
            ? (LIE_NAMES[world.between(0, LIE_NAMES.length - 1)] ?? 'truth')
            : 'truth',
        {
          faults: ({ process }) =>
            process !== 'api' && chance() < 0.02 ? FAULTS[Math.floor(chance() * FAULTS.length)] : undefined,
          publishQueue: { duplicates: 0.2, latestMs: 5_000 },
        },
      );
      const post = POSTS[platform][seed % POSTS[platform].length] ?? [[]];
      return history(made, platform, post);
    });
  },
  120_000 * Number(process.env.RUNS ?? 1),
);
