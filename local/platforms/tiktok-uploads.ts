import type { FakeAnswer, FakeRequest, FakeWorld, ShownPost } from './fake-platform.ts';

/** A post on its way, or there. */
export interface TiktokPost {
  readonly account: string;
  readonly number: number;
  readonly at_ms: number;
  readonly kind: 'video' | 'photo';
  readonly is_direct: boolean;
  readonly text: string;
  readonly privacy: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly photos?: readonly string[];
  readonly video_size?: number;
  readonly chunk_size?: number;
  readonly total_chunk_count?: number;
  /** Bytes uploaded so far. */
  got?: number;
  /** When TikTok had all of it. */
  done_ms?: number;
  readonly fail_reason?: string | undefined;
}

const HOUR_MS = 3_600_000;
const MB = 1_000_000;

/** Ids have 19 digits, beyond what a double can hold; each post's is its own. */
const postId = ({ number }: TiktokPost): string => String(7_412_345_678_900_000_001n + BigInt(number));

/** What becomes of announced posts: the bytes of videos, the photos that are pulled, and their states over time. */
export function tiktokUploads(world: FakeWorld, posts: Record<string, TiktokPost>) {
  const hasBegun = ({ done_ms, fail_reason }: TiktokPost) => done_ms !== undefined && !fail_reason;
  const isDone = (post: TiktokPost) =>
    hasBegun(post) && world.clock() >= (post.done_ms ?? 0) + world.processingMs;

  return {
    hasBegun,

    /** Whether the arithmetic of an announcement is TikTok's. */
    isCutWell(cut: { video_size: number; chunk_size: number; total_chunk_count: number }): boolean {
      const { video_size, chunk_size, total_chunk_count } = cut;
      const isWhole = chunk_size === video_size && total_chunk_count === 1;
      const isSized = chunk_size >= 5 * MB && chunk_size <= 64 * MB;
      const rest = video_size - chunk_size * (total_chunk_count - 1);
      return (
        video_size > 0 &&
        total_chunk_count === Math.floor(video_size / chunk_size) &&
        total_chunk_count <= 1000 &&
        rest <= 128 * MB &&
        (isSized || (isWhole && video_size < 5 * MB))
      );
    },

    /** Looks at photos as TikTok does, which fetches them. @returns why it cannot use them. */
    async pull(urls: readonly string[]): Promise<string | undefined> {
      for (const url of urls) {
        const file = await world.fetchFile(url);
        if (!file) return 'photo_pull_failed';
        if (!['image/jpeg', 'image/webp'].includes(file.type)) return 'file_format_check_failed';
      }
      return undefined;
    },

    /** Takes a chunk of a video. */
    take(id: string, request: FakeRequest): FakeAnswer {
      const post = posts[id];
      if (request.headers.authorization !== undefined) return { status: 400 };
      if (!post || request.method !== 'PUT') return { status: 404 };
      if (world.clock() > post.at_ms + HOUR_MS) return { status: 403 };
      const { got = 0, video_size = 0, chunk_size = 0, total_chunk_count = 0 } = post;
      const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(request.headers['content-range'] ?? '');
      const [start = -1, end = -1, total = -1] = range?.slice(1).map(Number) ?? [];
      if (got === video_size) return { status: 404 };
      const index = Math.floor(got / chunk_size);
      const wantedEnd = index >= total_chunk_count - 1 ? video_size - 1 : got + chunk_size - 1;
      const isRight = start === got && end === wantedEnd && total === video_size;
      if (!isRight || request.body.length !== end - start + 1) {
        return { status: 416, headers: { 'content-range': `bytes 0-${got - 1}/${video_size}` } };
      }
      post.got = end + 1;
      if (post.got < video_size) return { status: 206 };
      post.done_ms = world.clock();
      return { status: 201 };
    },

    /** The answer to a question for a post's state. */
    statusOf(post: TiktokPost): object {
      if (post.fail_reason) return { status: 'FAILED', fail_reason: post.fail_reason };
      const uploaded_bytes = post.got;
      if (!isDone(post)) {
        return {
          status: post.kind === 'photo' ? 'PROCESSING_DOWNLOAD' : 'PROCESSING_UPLOAD',
          uploaded_bytes,
        };
      }
      if (!post.is_direct) return { status: 'SEND_TO_USER_INBOX', uploaded_bytes };
      const isModerated = world.clock() >= (post.done_ms ?? 0) + 2 * world.processingMs;
      const isPublic = isModerated && post.privacy !== 'SELF_ONLY';
      return {
        status: 'PUBLISH_COMPLETE',
        uploaded_bytes,
        ...(isPublic && { publicaly_available_post_id: [`int64:${postId(post)}`] }),
      };
    },

    /** A post as people see it, once TikTok has begun with it. */
    shown(publishId: string, post: TiktokPost): ShownPost | undefined {
      if (!hasBegun(post)) return undefined;
      return {
        platform: 'tiktok',
        account: post.account,
        id: postId(post),
        kind: post.is_direct ? post.kind : `${post.kind} in the inbox`,
        text: post.text,
        media: post.photos?.map((url) => ({ kind: 'image' as const, url })) ?? [{ kind: 'video', url: null }],
        url: `${world.url}#tiktok-${postId(post)}`,
        published_at: new Date(post.done_ms ?? post.at_ms).toISOString(),
        details: { ...post.details, publish_id: publishId },
      };
    },
  };
}
