import { describe, expect, it } from 'vitest';
import { linkedinPublisher } from '../../../functions/publishing/platforms/linkedin/linkedin-publisher.ts';
import { littleText } from '../../../functions/publishing/platforms/linkedin/little-text.ts';
import { fakeLinkedin } from '../../../local/platforms/linkedin.ts';
import { readLittleText } from '../../../local/platforms/linkedin-text.ts';
import { forSeeds } from '../simulation/seeds.ts';
import type { Lie } from './lying-client.ts';
import { type Draft, FAKES_URL, lyingService, manyLies, type UnderTest } from './lying-service.ts';

const PERSON: UnderTest<ReturnType<typeof fakeLinkedin>> = {
  platform: 'linkedin_personal',
  credentials: { access_token: 'linkedin_personal-000777-a', author: 'urn:li:person:5000777' },
  fake: (world) => fakeLinkedin(world),
  publisher: (needs) =>
    linkedinPublisher({
      api: {
        rest: `${FAKES_URL}/linkedin/rest`,
        version: '202609',
        token: `${FAKES_URL}/linkedin/oauth/v2/accessToken`,
      },
      ...needs,
    }),
  limited: { status: 429, body: { status: 429, code: 'TOO_MANY_REQUESTS' } },
  broken: { status: 500, body: { status: 500, message: 'Unable to obtain activity' } },
};
const COMPANY: typeof PERSON = {
  ...PERSON,
  platform: 'linkedin_company',
  credentials: { access_token: 'linkedin_company-000777-a', author: 'urn:li:organization:5000777' },
};

const IMAGE = { kind: 'image' } as const;
const VIDEO = { kind: 'video', bytes: 9_000_000 } as const;

/** Has the first send go wrong, and no other call. */
function firstSend(lie: Lie) {
  let sends = 0;
  return (_: unknown, { kind }: { kind: string }): Lie => (kind === 'send' && ++sends === 1 ? lie : 'truth');
}

describe('linkedin', () => {
  it.each([
    ['text', []],
    ['an image', [IMAGE]],
    ['images', [IMAGE, IMAGE, IMAGE]],
    ['a video', [VIDEO]],
  ] as const)('posts %s for members and organizations', async (_, files) => {
    for (const under of [PERSON, COMPANY]) {
      const { publish, target, fake } = lyingService(1, under);
      const altTexts = files.map((_, index) => `picture ${index}`);

      const image_alt_texts = files[0]?.kind === 'image' ? altTexts : undefined;
      expect(await publish({ files, options: { image_alt_texts } })).toEqual([]);

      const [urn] = Object.keys(fake().state.posts);
      expect(target()).toMatchObject({
        status: 'posted',
        external_post_id: urn,
        external_post_url: `https://www.linkedin.com/feed/update/${urn}/`,
        error_message: null,
      });
      const [post] = fake().posts();
      expect(post).toMatchObject({ text: 'Fresh bread', media: files.map(({ kind }) => ({ kind })) });
      if (image_alt_texts) expect(post?.media.map((each) => each.alt_text)).toEqual(image_alt_texts);
    }
  });

  it('waits for the JPEG we make of an image it does not take, which is no attempt', async () => {
    const { publish, service, target } = lyingService(1, PERSON);
    const { table, world } = service;
    const picture = {
      object_key: 'media/x.jpg',
      width: 1,
      height: 1,
      mime: 'image/jpeg',
      bytes: 9,
      etag: 'x',
    };
    const thumbnails = { thumb: picture, preview: picture, display: picture };
    world.after(40_000, () => {
      const [row] = [...table.all()].filter(({ mime }) => mime === 'image/webp');
      table.put({ ...row, pk: row?.pk ?? '', sk: row?.sk ?? '', thumbnail_status: 'ready', thumbnails });
    });

    const file = { kind: 'image', mime: 'image/webp', thumbnail_status: 'processing' } as const;
    expect(await publish({ files: [file] })).toEqual([]);

    const attempts = [...table.all()].filter(({ pk }) => String(pk).endsWith('#ATTEMPTS'));
    expect(target()?.status).toBe('posted');
    expect(attempts.filter(({ message }) => String(message).includes('being turned into'))).toEqual([]);
  });

  it('says who may see a post, and that it is not to be passed on', async () => {
    const { publish, fake } = lyingService(1, PERSON);

    await publish({ options: { visibility: 'CONNECTIONS', reshare_disabled: true } });

    expect(Object.values(fake().state.posts)).toMatchObject([
      { visibility: 'CONNECTIONS', isReshareDisabledByAuthor: true },
    ]);
  });

  it('names the version and the protocol in every call, and sends parts of videos without our token', async () => {
    const { publish, requests } = lyingService(1, COMPANY);

    await publish({ files: [VIDEO] });

    const parts = requests.filter(({ method }) => method === 'PUT');
    expect(parts).toHaveLength(3);
    expect(parts.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    for (const { headers } of requests.filter(({ path }) => path.startsWith('/rest/'))) {
      expect(headers).toMatchObject({
        'linkedin-version': '202609',
        'x-restli-protocol-version': '2.0.0',
      });
    }
    expect(requests.some(({ path }) => path.startsWith('/rest/videos/urn%3Ali%3Avideo%3A'))).toBe(true);
  });

  it('adopts the post that a repeat of the same bytes finds, one to ten minutes later', async () => {
    const { publish, target, fake, requests } = lyingService(1, PERSON, {
      lies: firstSend('times out after taking effect'),
    });

    expect(await publish({})).toEqual([]);

    expect(target()).toMatchObject({
      status: 'posted',
      external_post_id: Object.keys(fake().state.posts)[0],
    });
    const sends = requests.filter(({ path, method }) => path === '/rest/posts' && method === 'POST');
    expect(sends.map(({ body }) => String(body))).toEqual([String(sends[0]?.body), String(sends[0]?.body)]);
  });

  it('finds an organization’s post among its own, and repeats nothing', async () => {
    const { publish, target, requests } = lyingService(1, COMPANY, {
      lies: firstSend('times out after taking effect'),
    });

    expect(await publish({})).toEqual([]);

    expect(target()?.status).toBe('posted');
    expect(requests.filter(({ path, method }) => path === '/rest/posts' && method === 'POST')).toHaveLength(
      1,
    );
  });

  it('repeats once, and then leaves it to its owner to look', async () => {
    const { publish, target, requests } = lyingService(1, PERSON, {
      lies: (_, { kind }) => (kind === 'send' ? 'resets without effect' : 'truth'),
    });

    expect(await publish({})).toEqual([]);

    expect(target()).toMatchObject({
      status: 'failed',
      error_message: 'The platform may have published this; check before posting again.',
    });
    expect(requests.filter(({ path }) => path === '/rest/posts')).toHaveLength(0);
  });

  it('takes a duplicate on the first attempt for a refusal', async () => {
    const { publish, target, fake } = lyingService(1, PERSON);
    await publish({});
    const [first] = Object.entries(fake().state.posts);
    const again = lyingService(1, PERSON);
    Object.assign(again.fake().state.posts, { [String(first?.[0])]: { ...first?.[1] } });

    await again.publish({});

    expect(target()?.status).toBe('posted');
    expect(again.target()?.status).toBe('failed');
    expect(again.target()?.error_message).toContain('a repeat of a post of the last minutes');
  });

  it('waits for midnight (UTC) when the calls of the day are used up, once LinkedIn has said so twice', async () => {
    const { publish, target, fake, service } = lyingService(1, PERSON);
    const begun = service.world.now();
    fake().state.calls = { [`000777/${Math.floor(begun / 86_400_000)}`]: 150 };

    expect(await publish({})).toEqual([]);

    expect(target()?.status).toBe('posted');
    const [post] = Object.values(fake().state.posts);
    expect(Math.floor((post?.at_ms ?? 0) / 86_400_000)).toBe(Math.floor(begun / 86_400_000) + 1);
  });

  it.each([
    [1, 'posted', 'active'],
    [9, 'failed', 'revoked'],
  ])(
    'believes a revocation that is said twice; told so %i times it ends %s',
    async (times, status, channel) => {
      let sends = 0;
      const broken = { status: 401, body: { status: 401, serviceErrorCode: 65601 } };
      const { publish, target, service } = lyingService(
        1,
        { ...PERSON, broken },
        {
          lies: (_, { kind }) => (kind === 'send' && ++sends <= times ? '500 without effect' : 'truth'),
        },
      );

      expect(await publish({})).toEqual([]);

      expect(target()?.status).toBe(status);
      const row = [...service.table.all()].find(({ sk }) => String(sk).startsWith('CHANNEL#'));
      expect(row?.status).toBe(channel);
    },
  );

  it('tells the operator when the version of the API is retired', async () => {
    const { publish, target } = lyingService(1, {
      ...PERSON,
      publisher: (needs) =>
        linkedinPublisher({
          api: { rest: `${FAKES_URL}/linkedin/rest`, version: '202501', token: '' },
          ...needs,
        }),
    });

    await publish({});

    expect(target()?.error_message).toContain('the operator must raise LINKEDIN_API_VERSION');
  });
});

describe('little text', () => {
  it.each([
    ['50% off (today) [really] {yes} <now>', '50% off \\(today\\) \\[really\\] \\{yes\\} \\<now\\>'],
    ['mail me @home ~ a_b * c | d \\ e', 'mail me \\@home \\~ a\\_b \\* c \\| d \\\\ e'],
    ['#bread and #Brötchen, #パン', '#bread and #Brötchen, #パン'],
    ['C# and a#b, # alone, ##two', 'C\\# and a\\#b, \\# alone, \\##two'],
  ])('%s', (text, little) => {
    expect(littleText(text)).toBe(little);
  });

  it('shows every text as it was written', async () => {
    const pieces = [...'abc 12#@()[]{}<>|\\*_~é😀パ\n', 'word', '#tag'];
    await forSeeds(60, async (seed) => {
      let state = seed * 2_654_435_761;
      const text = Array.from({ length: 30 }, () => {
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
        return pieces[state % pieces.length];
      }).join('');
      return readLittleText(littleText(text)) === text ? [] : [text];
    });
  });
});

/** What is published while LinkedIn lies. */
const POSTS: readonly (Draft & { readonly under: typeof PERSON })[] = [
  { under: PERSON },
  { under: COMPANY },
  { under: PERSON, files: [IMAGE, IMAGE] },
  { under: COMPANY, files: [VIDEO] },
];

/** A limit is believed when it is said twice, to a send and to its repeat; here it is a lie once at most. */
function lies() {
  let limits = 0;
  return manyLies(
    (lie, { kind }) => kind === 'send' && lie === 'a limit after taking effect' && ++limits > 1,
  );
}

it(
  'never makes two posts on LinkedIn, loses none that is out, and leaves nothing stuck, whatever it answers',
  async () => {
    await forSeeds(60, async (seed) => {
      const post = POSTS[seed % POSTS.length] as (typeof POSTS)[number];
      const { publish } = lyingService(seed, post.under, { lies: lies(), isTroubled: seed % 3 === 0 });
      return publish(post);
    });
  },
  60_000 * Number(process.env.RUNS ?? 1),
);
