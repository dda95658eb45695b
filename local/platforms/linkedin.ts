import * as v from 'valibot';
import {
  type FakeAnswer,
  type FakePlatform,
  type FakeRequest,
  type FakeWorld,
  jsonOf,
  type ShownPost,
} from './fake-platform.ts';
import { DAY_MS } from './graph-api.ts';
import { type LinkedinAsset, linkedinAssets, linkedinRefusal } from './linkedin-assets.ts';
import { readLittleText } from './linkedin-text.ts';
import { bearerAccount, type Grants, orRefusal, renew } from './oauth-grants.ts';

const Image = v.object({ id: v.string(), altText: v.optional(v.string()) });
const Post = v.object({
  author: v.string(),
  commentary: v.string(),
  visibility: v.picklist(['PUBLIC', 'CONNECTIONS']),
  distribution: v.object({
    feedDistribution: v.literal('MAIN_FEED'),
    targetEntities: v.array(v.unknown()),
    thirdPartyDistributionChannels: v.array(v.unknown()),
  }),
  lifecycleState: v.literal('PUBLISHED'),
  isReshareDisabledByAuthor: v.boolean(),
  content: v.optional(
    v.union([
      v.strictObject({ media: Image }),
      v.strictObject({
        multiImage: v.object({ images: v.pipe(v.array(Image), v.minLength(2), v.maxLength(20)) }),
      }),
    ]),
  ),
});

interface Share extends v.InferOutput<typeof Post> {
  readonly raw: string;
  readonly at_ms: number;
}

/** All a fake LinkedIn knows. */
export interface LinkedinState {
  count: number;
  grants: Grants;
  assets: Record<string, LinkedinAsset>;
  posts: Record<string, Share>;
  /** Calls by author and day. */
  calls: Record<string, number>;
}

/** A repeat is known for so long. */
const REPEAT_MS = 10 * 60_000;
const OLDEST_VERSION = 202601;
const NEWEST_VERSION = 202609;
const POSTS_A_DAY = 150;

/** LinkedIn's versioned API: assets, posts, and what a token may not read. */
export function fakeLinkedin(
  world: FakeWorld,
  state: LinkedinState = { count: 0, grants: {}, assets: {}, posts: {}, calls: {} },
): FakePlatform & { readonly state: LinkedinState } {
  const assets = linkedinAssets(world, state);

  function publish(account: string, request: FakeRequest): FakeAnswer {
    const read = v.safeParse(Post, jsonOf(request));
    if (!read.success) throw linkedinRefusal(422, { message: v.summarize(read.issues) });
    const post = read.output;
    if (!post.author.endsWith(`:5${account}`)) throw linkedinRefusal(403, { code: 'ACCESS_DENIED' });
    if ([...readLittleText(post.commentary)].length > 3000) {
      throw linkedinRefusal(400, { code: 'FIELD_LENGTH_TOO_LONG' });
    }
    const raw = request.body.toString('utf8');
    const twin = Object.entries(state.posts).find(
      ([, each]) => each.raw === raw && each.at_ms > world.clock() - REPEAT_MS,
    );
    if (twin) throw linkedinRefusal(422, { message: `Content is a duplicate of ${twin[0]}` });
    const { content } = post;
    const images =
      content === undefined ? [] : 'media' in content ? [content.media] : content.multiImage.images;
    for (const { id } of images) assets.mustBeAvailable(id, post.author);
    const today = `${account}/${Math.floor(world.clock() / DAY_MS)}`;
    const count = (state.calls[today] ?? 0) + 1;
    if (count > POSTS_A_DAY) throw linkedinRefusal(429, { code: 'TOO_MANY_REQUESTS' });
    state.calls[today] = count;
    const urn = `urn:li:${images.length > 0 ? 'ugcPost' : 'share'}:7${String(++state.count).padStart(18, '0')}`;
    state.posts[urn] = { ...post, raw, at_ms: world.clock() };
    return { status: 201, headers: { 'x-restli-id': urn } };
  }

  function list(account: string, { query }: FakeRequest): FakeAnswer {
    const author = query.get('author') ?? '';
    const isOrganization = author === `urn:li:organization:5${account}`;
    if (!isOrganization || query.get('q') !== 'author') throw linkedinRefusal(403, { code: 'ACCESS_DENIED' });
    const elements = Object.entries(state.posts)
      .filter(([, post]) => post.author === author)
      .toReversed()
      .slice(0, Number(query.get('count') ?? 10))
      .map(([id, { commentary, at_ms }]) => ({ id, commentary, createdAt: at_ms, author }));
    return { status: 200, body: { elements } };
  }

  async function token(request: FakeRequest): Promise<FakeAnswer> {
    const name = 'linkedin';
    const grant = await renew(request, state.grants, { name, replacesRefreshToken: false });
    if (!grant) return { status: 400, body: { error: 'invalid_grant', error_description: 'fake' } };
    return { status: 200, body: { access_token: grant.access, expires_in: 5_184_000 } };
  }

  function mustNameVersion({ headers }: FakeRequest): void {
    if (headers['x-restli-protocol-version'] !== '2.0.0') throw linkedinRefusal(400, { message: 'protocol' });
    const version = headers['linkedin-version'];
    if (version === undefined) throw linkedinRefusal(400, { code: 'VERSION_MISSING' });
    const isLive = Number(version) >= OLDEST_VERSION && Number(version) <= NEWEST_VERSION;
    if (!isLive) throw linkedinRefusal(426, { code: 'NONEXISTENT_VERSION' });
  }

  return {
    name: 'linkedin',
    state,
    handle: (request) =>
      orRefusal(async () => {
        const { path, method } = request;
        if (path === '/oauth/v2/accessToken') return token(request);
        if (path.startsWith('/upload/')) return assets.take(request);
        const account = bearerAccount(request, state.grants);
        if (account === undefined) throw linkedinRefusal(401, { serviceErrorCode: 65600 });
        mustNameVersion(request);
        const [, what = '', urn] = /^\/rest\/(\w+)(?:\/(.+))?$/.exec(path) ?? [];
        if (what === 'posts') return method === 'POST' ? publish(account, request) : list(account, request);
        if (what !== 'images' && what !== 'videos') throw linkedinRefusal(404, { message: path });
        if (method === 'GET') return assets.show(what, decodeURIComponent(urn ?? ''), account);
        return assets.act(what, account, request);
      }),
    posts: () => Object.entries(state.posts).map(([id, post]) => shownPost(id, post)),
  };

  function shownPost(id: string, { author, commentary, content, at_ms, ...post }: Share): ShownPost {
    const images =
      content === undefined ? [] : 'media' in content ? [content.media] : content.multiImage.images;
    return {
      platform: 'linkedin',
      account: author,
      id,
      kind: 'post',
      text: readLittleText(commentary),
      media: images.map(({ id: asset, altText }) => {
        const kind = asset.includes(':video:') ? ('video' as const) : ('image' as const);
        return { kind, url: state.assets[asset]?.picture ?? null, alt_text: altText };
      }),
      url: `${world.url}#linkedin-${id}`,
      published_at: new Date(at_ms).toISOString(),
      details: { visibility: post.visibility, isReshareDisabledByAuthor: post.isReshareDisabledByAuthor },
    };
  }
}
