import type { Platform } from '../../../functions/channels/platform.ts';
import type { MediaFiles } from '../../../functions/media/media-files.ts';
import type { TargetOptions } from '../../../functions/posts/target-options.ts';
import type { PlatformCall } from '../../../functions/publishing/platforms/platform-client.ts';
import type { StepNeeds } from '../../../functions/publishing/platforms/step.ts';
import type { Publisher } from '../../../functions/publishing/publisher.ts';
import type { Clock } from '../../../functions/shared/clock.ts';
import type {
  FakeAnswer,
  FakePlatform,
  FakeRequest,
  FakeWorld,
} from '../../../local/platforms/fake-platform.ts';
import { breachesOf } from '../simulation/oracle.ts';
import type { Process } from '../simulation/process.ts';
import { untilQuiet } from '../simulation/seeds.ts';
import { type SimulatedService, simulatedService } from '../simulation/simulated-service.ts';
import type { World } from '../simulation/world.ts';
import { LIE_NAMES, type Lie, lyingClient } from './lying-client.ts';
import { fetchSimulated, putMedia, SIMULATED_FILES } from './simulated-media.ts';

/** Where the fakes of tests are. */
export const FAKES_URL = 'https://fakes.test/platforms';

/** What a publisher is made of, whichever platform it is for. */
export type PublisherNeeds = StepNeeds & { readonly random: () => number; readonly clock: Clock };

/** A platform under test. */
export interface UnderTest<Fake extends FakePlatform> {
  readonly platform: Platform;
  readonly credentials: object;
  readonly fake: (world: FakeWorld) => Fake;
  readonly publisher: (needs: PublisherNeeds) => Publisher;
  /** What the platform says when a limit is met, and when it is broken. */
  readonly limited: FakeAnswer;
  readonly broken: FakeAnswer;
  /** What else the channel's row holds. */
  readonly channel?: object;
}

interface Behaviour {
  readonly lies?: (world: World, call: PlatformCall) => Lie;
  /** How long the platform takes over a file, in milliseconds. @default up to 90 s */
  readonly processingMs?: number;
  /** Whether our own processes die in the middle of calls, and messages come twice. @default false */
  readonly isTroubled?: boolean;
}

/** A post to be published. */
export interface Draft {
  readonly caption?: string;
  readonly files?: readonly Parameters<typeof putMedia>[2][];
  readonly options?: TargetOptions;
}

/** A service in virtual time whose one platform is a fake that lies as it is told. */
export function lyingService<Fake extends FakePlatform>(
  seed: number,
  under: UnderTest<Fake>,
  { lies = () => 'truth', processingMs, isTroubled = false }: Behaviour = {},
) {
  const requests: FakeRequest[] = [];
  let made: Fake | undefined;
  const service: SimulatedService = simulatedService(seed, {
    credentials: under.credentials,
    ...(isTroubled && {
      publishQueue: { duplicates: 0.2, latestMs: 5_000 },
      faults: ({ process }) => {
        const { random } = service.world;
        if (process === 'api' || random() >= 0.03) return undefined;
        return random() < 0.5 ? 'crash-before' : 'crash-after';
      },
    }),
    publishers: (process: Process, world: World) => ({
      [under.platform]: under.publisher({
        client: lyingClient({
          ...{ world, process, limited: under.limited, broken: under.broken },
          platformOf: () => recorded(fake()),
          lies: (call) => lies(world, call),
        }),
        files: SIMULATED_FILES as MediaFiles,
        random: world.random,
        clock: process.clock,
      }),
    }),
  });
  const { world } = service;
  const fake = (): Fake => {
    made ??= under.fake({
      url: FAKES_URL,
      clock: world.now,
      fetchFile: fetchSimulated,
      processingMs: processingMs ?? world.between(0, 90_000),
      isRepeatable: true,
    } as FakeWorld);
    return made;
  };
  const recorded = (platform: Fake): FakePlatform => ({
    ...platform,
    handle: (request) => {
      requests.push(request);
      return platform.handle(request);
    },
  });
  // What waits for a limit of a day is not held to be stale here.
  const workspace = service.workspace([under.platform], { late_publishing_hours: 72 });
  for (const row of [...service.table.all()].filter(({ platform }) => platform === under.platform)) {
    service.table.put({ ...row, ...under.channel });
  }

  const target = () =>
    [...service.table.all()].find(({ targets_of_channel }) => targets_of_channel !== undefined);

  return {
    service,
    /** What reached the platform, in order. */
    requests,
    fake,
    /** The target's row as it is. */
    target,
    /** Publishes a post and waits until nothing more happens; what broke the promises. */
    async publish({ caption = 'Fresh bread', files = [], options }: Draft): Promise<string[]> {
      const media = files.map((file) => putMedia(service, workspace.id, file));
      void service.create(workspace, 'now', caption, { media, options });
      await untilQuiet(service, 100 * 3_600_000);
      const targetId = String(target()?.id);
      const publications = fake()
        .posts()
        .map(({ id, published_at }) => ({ id, target: targetId, atMs: Date.parse(published_at) + 1000 }));
      return breachesOf({ ...service, platform: { ...service.platform, publications } });
    },
  };
}

/** Lies about every third call that changes something, and about some of the others. */
export const manyLies =
  (isExcluded: (lie: Lie, call: PlatformCall) => boolean = () => false) =>
  (world: World, call: PlatformCall): Lie => {
    if (world.random() >= (call.method === 'GET' ? 0.15 : 0.33)) return 'truth';
    const lie = LIE_NAMES[world.between(0, LIE_NAMES.length - 1)] ?? 'truth';
    return isExcluded(lie, call) ? 'truth' : lie;
  };
