import * as v from 'valibot';
import { facebookVideos, type Video } from './facebook-videos.ts';
import {
  type FakeAnswer,
  type FakePlatform,
  type FakeRequest,
  type FakeWorld,
  fieldsOf,
  type ShownPost,
} from './fake-platform.ts';
import {
  accountOf,
  existing,
  GraphRefusal,
  graphAnswer,
  graphTime,
  jsonField,
  required,
  segmentsOf,
} from './graph-api.ts';

interface Photo {
  readonly account: string;
  readonly url: string;
  readonly alt_text?: string | undefined;
  isInPost: boolean;
}

interface Post {
  readonly account: string;
  readonly message: string;
  readonly photos: readonly string[];
  readonly created_ms: number;
  is_published: boolean;
  published_ms?: number;
}

type Story = { readonly account: string; readonly media_id: string; readonly at_ms: number };

/** Instagram's ids begin so here; the two share a host. */
const isOthers = (path: string): boolean => segmentsOf(path)[0]?.startsWith('2') === true;

/** All a fake Facebook knows. */
export interface FacebookState {
  count: number;
  photos: Record<string, Photo>;
  posts: Record<string, Post>;
  videos: Record<string, Video>;
  stories: Record<string, Story>;
}

const Attached = v.array(v.object({ media_fbid: v.string() }));

/**
 * A Page's part of the Graph API: unpublished and published posts, photos, chunked videos, reels, stories.
 * What is not an object of its own is asked of `others`, as Instagram is on the same host.
 */
export function fakeFacebook(
  world: FakeWorld,
  others?: FakePlatform,
  state: FacebookState = { count: 0, photos: {}, posts: {}, videos: {}, stories: {} },
): FakePlatform {
  const newId = () => `90${String(++state.count).padStart(8, '0')}`;
  const urlOf = (id: string) => `${world.url}#facebook-${id}`;
  const videos = facebookVideos({ world, state, newId, urlOf });

  const published = (id: string): Post => {
    const post = existing(state.posts, id);
    if (post.is_published) return post;
    for (const photo of post.photos) existing(state.photos, photo).isInPost = true;
    Object.assign(post, { is_published: true, published_ms: world.clock() });
    return post;
  };

  const edges: Record<string, (account: string, fields: Record<string, string>) => Promise<object>> = {
    async photos(account, fields) {
      const url = required(fields, 'url');
      const file = await world.fetchFile(url);
      if (!file?.type.startsWith('image/'))
        throw new GraphRefusal(324, 'Missing or invalid image file', 2069019);
      const id = newId();
      state.photos[id] = { account, url, alt_text: fields.alt_text_custom, isInPost: false };
      if (fields.published === 'false') return { id };
      const { id: post_id } = await feed(account, { message: fields.caption ?? '' }, [id]);
      return { id, post_id };
    },
    feed(account, fields) {
      const attached = fields.attached_media ? v.parse(Attached, jsonField(fields.attached_media)) : [];
      return feed(
        account,
        fields,
        attached.map(({ media_fbid }) => media_fbid),
      );
    },
    async photo_stories(account, fields) {
      const photo = existing(state.photos, required(fields, 'photo_id'));
      if (photo.isInPost) throw new GraphRefusal(100, 'The photo was already used in a post', 1366051);
      photo.isInPost = true;
      const post_id = newId();
      state.stories[post_id] = { account, media_id: required(fields, 'photo_id'), at_ms: world.clock() };
      return { success: true, post_id };
    },
    videos: videos.upload,
    video_reels: (account, fields) => videos.session('reel', account, fields),
    video_stories: (account, fields) => videos.session('story', account, fields),
  };

  async function feed(account: string, fields: Record<string, string>, photos: readonly string[]) {
    const { message = '', link } = fields;
    if (message === '' && link === undefined && photos.length === 0) {
      throw new GraphRefusal(100, 'A message, link or attached media is required');
    }
    if (photos.some((photo) => existing(state.photos, photo).isInPost)) {
      throw new GraphRefusal(100, 'Photos were already posted', 1366051);
    }
    const id = `${account}_${newId()}`;
    state.posts[id] = { account, message, photos, created_ms: world.clock(), is_published: false };
    if (fields.published !== 'false') published(id);
    return { id };
  }

  const listFeed = (account: string, { since }: Record<string, string>) => ({
    data: Object.entries(state.posts)
      .filter(([, post]) => post.account === account && post.is_published)
      .filter(([, post]) => post.created_ms >= Number(since ?? 0) * 1000)
      .toReversed()
      .map(([id, post]) => ({
        id,
        message: post.message,
        created_time: graphTime(post.published_ms ?? post.created_ms),
        permalink_url: urlOf(id),
      })),
  });

  async function graph(request: FakeRequest): Promise<object> {
    const [node = '', edge] = segmentsOf(request.path);
    const fields = await fieldsOf(request);
    const account = accountOf(request, fields);
    if (node === 'rupload') return videos.rupload(request);
    if (edge !== undefined && node !== account)
      throw new GraphRefusal(10, 'Application does not have permission');
    if (request.method === 'GET') {
      if (edge === 'feed') return listFeed(account, fields);
      if (state.videos[node]) return videos.show(node);
      const post = existing(state.posts, node);
      const { is_published, message } = post;
      return { id: node, is_published, message, permalink_url: urlOf(node) };
    }
    if (edge === undefined) {
      if (fields.is_published === 'true') published(node);
      return { success: true };
    }
    const run = edges[edge];
    if (!run) throw new GraphRefusal(100, `Unknown path components: /${edge}`);
    return run(account, fields);
  }

  return {
    name: 'facebook',
    state,
    handle: (request): Promise<FakeAnswer> =>
      others && isOthers(request.path) ? others.handle(request) : graphAnswer(() => graph(request)),
    posts: () => [
      ...Object.entries(state.posts).flatMap(([id, post]) =>
        post.is_published ? [shownPost(id, post)] : [],
      ),
      ...videos.posts(),
      ...Object.entries(state.stories).map(([id, story]) => shownStory(id, story)),
    ],
  };

  function shownPost(id: string, post: Post): ShownPost {
    return {
      ...{
        platform: 'facebook',
        account: post.account,
        id,
        kind: 'feed',
        text: post.message,
        url: urlOf(id),
      },
      media: post.photos.map((photo) => {
        const { url, alt_text } = existing(state.photos, photo);
        return { kind: 'image', url, alt_text };
      }),
      published_at: new Date(post.published_ms ?? post.created_ms).toISOString(),
    };
  }

  function shownStory(id: string, { account, media_id, at_ms }: Story): ShownPost {
    const photo = state.photos[media_id];
    return {
      ...{ platform: 'facebook', account, id, kind: 'story', text: '', url: urlOf(id) },
      media: [
        photo
          ? { kind: 'image', url: photo.url }
          : { kind: 'video', url: state.videos[media_id]?.file_url ?? null },
      ],
      published_at: new Date(at_ms).toISOString(),
    };
  }
}
