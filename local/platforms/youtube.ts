import {
  type FakeAnswer,
  type FakePlatform,
  type FakeRequest,
  type FakeWorld,
  jsonOf,
  type ShownPost,
} from './fake-platform.ts';
import { bearerAccount, type Grants, orRefusal, renew } from './oauth-grants.ts';
import { type YoutubeSession, type YoutubeVideo, youtubeRefusal, youtubeUploads } from './youtube-uploads.ts';

/** All a fake YouTube knows. */
export interface YoutubeState {
  count: number;
  grants: Grants;
  sessions: Record<string, YoutubeSession>;
  videos: Record<string, YoutubeVideo>;
  /** Begun uploads, by day. */
  inserts: Record<string, number>;
  /** Uploads of a project YouTube has not audited are made private. */
  is_unaudited: boolean;
}

/** YouTube's Data API: resumable uploads, videos, the channel's own uploads, thumbnails. */
export function fakeYoutube(
  world: FakeWorld,
  state: YoutubeState = { count: 0, grants: {}, sessions: {}, videos: {}, inserts: {}, is_unaudited: false },
): FakePlatform & { readonly state: YoutubeState } {
  const uploads = youtubeUploads(world, state);

  async function token(request: FakeRequest): Promise<FakeAnswer> {
    const grant = await renew(request, state.grants, { name: 'youtube', replacesRefreshToken: false });
    if (!grant) return { status: 400, body: { error: 'invalid_grant', error_description: 'fake' } };
    return { status: 200, body: { access_token: grant.access, expires_in: 3599, token_type: 'Bearer' } };
  }

  function read(what: string, { query }: FakeRequest, account: string): FakeAnswer {
    const own = Object.entries(state.videos).filter(([, video]) => video.account === account);
    switch (what) {
      case 'channels': {
        const relatedPlaylists = { uploads: `UU${account}` };
        return {
          status: 200,
          body: { items: [{ id: `UC${account}`, contentDetails: { relatedPlaylists } }] },
        };
      }
      case 'playlistItems': {
        const items = own.toReversed().map(([videoId, { snippet, at_ms }]) => ({
          snippet: { ...snippet, publishedAt: new Date(at_ms).toISOString() },
          contentDetails: { videoId },
        }));
        return { status: 200, body: { items: items.slice(0, Number(query.get('maxResults') ?? 5)) } };
      }
      case 'videos': {
        const ids = query.get('id')?.split(',') ?? [];
        const items = own.filter(([id]) => ids.includes(id)).map(([id]) => uploads.resource(id));
        return { status: 200, body: { items } };
      }
      default:
        throw youtubeRefusal(404, 'notFound');
    }
  }

  async function setThumbnail({ query, headers, body }: FakeRequest, account: string): Promise<FakeAnswer> {
    const video = state.videos[query.get('videoId') ?? ''];
    if (video?.account !== account) throw youtubeRefusal(404, 'videoNotFound');
    if (!/^image\/(jpeg|png)$/.test(headers['content-type'] ?? '') || body.length === 0) {
      throw youtubeRefusal(400, 'invalidImage');
    }
    video.thumbnail_bytes = body.length;
    video.picture = await world.pictureOf?.(body);
    return { status: 200, body: { items: [{}] } };
  }

  return {
    name: 'youtube',
    state,
    handle: (request) =>
      orRefusal(async () => {
        const { path, method, query } = request;
        if (path === '/token') return token(request);
        const account = bearerAccount(request, state.grants);
        if (account === undefined) throw youtubeRefusal(401, 'authError');
        if (path === '/upload/youtube/v3/videos') {
          const session = query.get('upload_id');
          return session === null
            ? uploads.open(account, request, jsonOf(request))
            : uploads.take(session, request);
        }
        if (path === '/upload/youtube/v3/thumbnails/set') return setThumbnail(request, account);
        const [, what = ''] = /^\/youtube\/v3\/(\w+)$/.exec(path) ?? [];
        if (method !== 'GET') throw youtubeRefusal(404, 'notFound');
        return read(what, request, account);
      }),
    posts: () =>
      Object.entries(state.videos).map(
        ([id, { account, snippet, status, at_ms, thumbnail_bytes, picture }]): ShownPost => ({
          platform: 'youtube',
          account,
          id,
          kind: 'video',
          text: snippet.title,
          media: [picture === undefined ? { kind: 'video', url: null } : { kind: 'image', url: picture }],
          url: `${world.url}#youtube-${id}`,
          published_at: new Date(at_ms).toISOString(),
          details: { ...snippet, ...status, thumbnail_bytes },
        }),
      ),
  };
}
