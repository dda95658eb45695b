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
import { bearerAccount, FakeRefusal, type Grants, orRefusal, renew } from './oauth-grants.ts';
import { PhotoRequest, VideoRequest } from './tiktok-requests.ts';
import { type TiktokPost, tiktokUploads } from './tiktok-uploads.ts';

/** All a fake TikTok knows. */
export interface TiktokState {
  count: number;
  grants: Grants;
  posts: Record<string, TiktokPost>;
  /** Times of announcements, by account. */
  inits: Record<string, number[]>;
}

const PRIVACY = ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'];
const MAX_SECONDS = 600;
const INITS_A_MINUTE = 6;
const POSTS_A_DAY = 15;
const MAX_WAITING_SHARES = 5;
const MINUTE_MS = 60_000;

/** A refusal as TikTok words it; caps come as 200. */
const refusal = (status: number, code: string): FakeRefusal =>
  new FakeRefusal({ status, body: { data: {}, error: { code, message: `fake: ${code}`, log_id: 'fake' } } });

const ok = (data: object): FakeAnswer => ({
  status: 200,
  // An id of TikTok's is a number of 19 digits, which JSON.stringify would round.
  body: JSON.stringify({ data, error: { code: 'ok', message: '', log_id: 'fake' } }).replaceAll(
    /"int64:(\d+)"/g,
    '$1',
  ),
});

function parsed<Schema extends v.GenericSchema>(schema: Schema, request: FakeRequest) {
  const read = v.safeParse(schema, jsonOf(request));
  if (!read.success) throw refusal(400, 'invalid_param');
  return read.output;
}

/** TikTok's Content Posting API: announced uploads, pulled photos, and what becomes of them over time. */
export function fakeTiktok(
  world: FakeWorld,
  state: TiktokState = { count: 0, grants: {}, posts: {}, inits: {} },
): FakePlatform & { readonly state: TiktokState } {
  const uploads = tiktokUploads(world, state.posts);
  const since = (account: string, ms: number) =>
    Object.values(state.posts).filter((post) => post.account === account && post.at_ms > world.clock() - ms);

  function countInit(account: string, isDirect: boolean): void {
    const recent = (state.inits[account] ?? []).filter((ms) => ms > world.clock() - MINUTE_MS);
    if (recent.length >= INITS_A_MINUTE) throw refusal(429, 'rate_limit_exceeded');
    state.inits[account] = [...recent, world.clock()];
    const same = since(account, DAY_MS).filter((post) => post.is_direct === isDirect);
    if (isDirect && same.filter((post) => uploads.hasBegun(post)).length >= POSTS_A_DAY) {
      throw refusal(200, 'spam_risk_too_many_posts');
    }
    if (!isDirect && same.filter((post) => uploads.hasBegun(post)).length >= MAX_WAITING_SHARES) {
      throw refusal(200, 'spam_risk_too_many_pending_share');
    }
  }

  const newPost = (account: string, post: Omit<TiktokPost, 'account' | 'at_ms' | 'number'>): string => {
    const number = ++state.count;
    const publish_id = `${post.kind === 'photo' ? 'p' : 'v'}_pub_file~v2.${number}`;
    state.posts[publish_id] = { account, number, at_ms: world.clock(), ...post };
    return publish_id;
  };

  const routes: Record<string, (account: string, request: FakeRequest) => Promise<object>> = {
    'creator_info/query/': async (account) => ({
      creator_username: `creator_${account}`,
      creator_nickname: `Creator ${account}`,
      creator_avatar_url: `${world.url}/avatar`,
      privacy_level_options: PRIVACY,
      comment_disabled: false,
      duet_disabled: false,
      stitch_disabled: false,
      max_video_post_duration_sec: MAX_SECONDS,
    }),
    'video/init/': (account, request) => announce(account, request, true),
    'inbox/video/init/': (account, request) => announce(account, request, false),
    async 'content/init/'(account, request) {
      const { post_info, post_mode, source_info, is_aigc } = parsed(PhotoRequest, request);
      const is_direct = post_mode === 'DIRECT_POST';
      if (is_direct && !PRIVACY.includes(post_info.privacy_level ?? '')) {
        throw refusal(403, 'privacy_level_option_mismatch');
      }
      countInit(account, is_direct);
      const fail_reason = await uploads.pull(source_info.photo_images);
      const { description, privacy_level, ...details } = post_info;
      return {
        publish_id: newPost(account, {
          kind: 'photo',
          is_direct,
          text: description,
          privacy: privacy_level ?? '',
          details: { ...details, privacy_level, is_aigc },
          photos: source_info.photo_images,
          done_ms: world.clock(),
          fail_reason,
        }),
      };
    },
    async 'status/fetch/'(account, request) {
      const { publish_id } = parsed(v.object({ publish_id: v.string() }), request);
      const post = state.posts[publish_id];
      if (post?.account !== account) throw refusal(400, 'invalid_publish_id');
      return uploads.statusOf(post);
    },
  };

  async function announce(account: string, request: FakeRequest, is_direct: boolean): Promise<object> {
    const { post_info, source_info } = parsed(VideoRequest, request);
    if (is_direct && !PRIVACY.includes(post_info?.privacy_level ?? '')) {
      throw refusal(403, 'privacy_level_option_mismatch');
    }
    if (!uploads.isCutWell(source_info)) throw refusal(400, 'invalid_param');
    countInit(account, is_direct);
    const { title = '', privacy_level = '', ...details } = post_info ?? {};
    const publish_id = newPost(account, {
      ...{ kind: 'video', is_direct, text: title, privacy: privacy_level, got: 0, ...source_info },
      details: { ...details, ...(is_direct && { privacy_level }) },
    });
    return { publish_id, upload_url: `${world.url}/tiktok/v2/upload/${encodeURIComponent(publish_id)}` };
  }

  async function token(request: FakeRequest): Promise<FakeAnswer> {
    const grant = await renew(request, state.grants, { name: 'tiktok', replacesRefreshToken: true });
    if (!grant) return { status: 200, body: { error: 'invalid_grant', error_description: 'fake' } };
    const { access: access_token, refresh: refresh_token } = grant;
    const lives = { expires_in: 86_400, refresh_expires_in: 31_536_000 };
    return { status: 200, body: { access_token, refresh_token, ...lives, token_type: 'Bearer' } };
  }

  return {
    name: 'tiktok',
    state,
    handle: (request) =>
      orRefusal(async () => {
        const path = request.path.replace(/^\/v2\//, '');
        if (path === 'oauth/token/') return token(request);
        if (path.startsWith('upload/')) {
          return uploads.take(decodeURIComponent(path.slice('upload/'.length)), request);
        }
        const account = bearerAccount(request, state.grants);
        if (account === undefined) throw refusal(401, 'access_token_invalid');
        const route = routes[path.replace(/^post\/publish\//, '')];
        if (!route || request.method !== 'POST') throw refusal(404, 'invalid_param');
        return ok(await route(account, request));
      }),
    posts: () =>
      Object.entries(state.posts).flatMap(([id, post]): ShownPost[] => {
        const shown = uploads.shown(id, post);
        return shown ? [shown] : [];
      }),
  };
}
