import * as v from 'valibot';
import type { FakeAnswer, FakeRequest, FakeWorld } from './fake-platform.ts';
import { FakeRefusal } from './oauth-grants.ts';
import type { YoutubeState } from './youtube.ts';

const Text = (test: (text: string) => boolean) => v.pipe(v.string(), v.check(test));
const hasNoBrackets = (text: string) => !/[<>]/.test(text);

const Snippet = v.object({
  title: Text((text) => text !== '' && [...text].length <= 100 && hasNoBrackets(text)),
  description: Text((text) => Buffer.byteLength(text) <= 5000 && hasNoBrackets(text)),
  tags: v.optional(v.array(v.string())),
  categoryId: v.optional(v.string()),
});
const Status = v.object({
  privacyStatus: v.picklist(['public', 'unlisted', 'private']),
  selfDeclaredMadeForKids: v.optional(v.boolean()),
  containsSyntheticMedia: v.optional(v.boolean()),
});
const Resource = v.object({ snippet: Snippet, status: Status });

/** An upload that has begun. `video` is what it became. */
export interface YoutubeSession extends v.InferOutput<typeof Resource> {
  readonly account: string;
  readonly size: number;
  got: number;
  video?: string;
}

/** A video that is there. */
export interface YoutubeVideo extends v.InferOutput<typeof Resource> {
  readonly account: string;
  readonly at_ms: number;
  thumbnail_bytes?: number;
  picture?: string | undefined;
}

/** Inserts a project may make in a day (since June 2026). */
const INSERTS_A_DAY = 100;
const GRID_BYTES = 262_144;

export const youtubeRefusal = (status: number, reason: string): FakeRefusal =>
  new FakeRefusal({
    status,
    body: { error: { code: status, message: `fake: ${reason}`, errors: [{ domain: 'youtube', reason }] } },
  });

/** Why a resource is refused, by the part of it that does not fit. */
const REASONS: Readonly<Record<string, string>> = {
  title: 'invalidTitle',
  description: 'invalidDescription',
  tags: 'invalidTags',
};

/** Tags are counted with the commas between them, and those with a space with quotes around. */
const tagsLength = (tags: readonly string[]): number =>
  tags.reduce((sum, tag) => sum + tag.length + (tag.includes(' ') ? 2 : 0), Math.max(0, tags.length - 1));

const day = (ms: number) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles' }).format(new Date(ms));

/** Resumable uploads: a session takes bytes in order, and its last one makes the video. */
export function youtubeUploads(world: FakeWorld, state: YoutubeState) {
  const resource = (id: string): object => {
    const { snippet, status } = state.videos[id] ?? {};
    return { kind: 'youtube#video', id, snippet, status: { ...status, uploadStatus: 'uploaded' } };
  };

  const standing = (session: YoutubeSession): FakeAnswer => {
    if (session.video !== undefined) return { status: 200, body: resource(session.video) };
    return { status: 308, ...(session.got > 0 && { headers: { range: `bytes=0-${session.got - 1}` } }) };
  };

  return {
    resource,

    open(account: string, { headers, method }: FakeRequest, body: unknown): FakeAnswer {
      if (method !== 'POST') throw youtubeRefusal(404, 'notFound');
      const today = day(world.clock());
      const inserts = (state.inserts[today] ?? 0) + 1;
      if (inserts > INSERTS_A_DAY) throw youtubeRefusal(403, 'quotaExceeded');
      state.inserts = { [today]: inserts };
      const read = v.safeParse(Resource, body);
      if (!read.success) {
        const part = String(read.issues[0].path?.at(1)?.key ?? '');
        throw youtubeRefusal(400, REASONS[part] ?? 'invalidVideoMetadata');
      }
      if (tagsLength(read.output.snippet.tags ?? []) > 500) throw youtubeRefusal(400, 'invalidTags');
      const id = `s${++state.count}`;
      const size = Number(headers['x-upload-content-length']);
      state.sessions[id] = { account, size, got: 0, ...read.output };
      const path = `${world.url}/youtube/upload/youtube/v3/videos`;
      return { status: 200, headers: { location: `${path}?uploadType=resumable&upload_id=${id}` } };
    },

    take(id: string, { headers, body, method }: FakeRequest): FakeAnswer {
      const session = state.sessions[id];
      if (!session || method !== 'PUT') throw youtubeRefusal(404, 'notFound');
      const range = headers['content-range'] ?? '';
      if (session.video !== undefined || range === `bytes */${session.size}`) return standing(session);
      const [start = -1, end = -1] = /^bytes (\d+)-(\d+)\/\d+$/.exec(range)?.slice(1).map(Number) ?? [];
      const isLast = end === session.size - 1;
      const isRight = end - start + 1 === body.length && (isLast || body.length % GRID_BYTES === 0);
      if (!isRight) throw youtubeRefusal(400, 'badRequest');
      if (start > session.got) return standing(session);
      session.got = Math.max(session.got, end + 1);
      if (session.got < session.size) return standing(session);
      const video = `yt${String(++state.count).padStart(9, '0')}`;
      session.video = video;
      const { account, snippet, status } = session;
      const privacyStatus = state.is_unaudited ? 'private' : status.privacyStatus;
      state.videos[video] = {
        ...{ account, snippet, at_ms: world.clock() },
        status: { ...status, privacyStatus },
      };
      return { status: 200, body: resource(video) };
    },
  };
}
