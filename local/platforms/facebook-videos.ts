import type { FacebookState } from './facebook.ts';
import type { FakeRequest, FakeWorld, ShownPost } from './fake-platform.ts';
import { DAY_MS, existing, GraphRefusal, required } from './graph-api.ts';

/** A video of a Page, in whichever way it is uploaded. */
export interface Video {
  readonly account: string;
  readonly kind: 'video' | 'reel' | 'story';
  readonly file_size: number;
  received: number;
  file_url: string | null;
  title?: string | undefined;
  description?: string | undefined;
  /** When it was told to be published. */
  finished_ms?: number;
}

/** Reels publishing guide: 30 a Page in 24 hours. */
const REELS_A_DAY = 30;

/** Small, so that uploads take several chunks here too. */
const CHUNK_BYTES = 1024 * 1024;

/** Chunked videos, reels and video stories: uploaded under an id, and published later by it. */
export function facebookVideos({
  world,
  state,
  newId,
  urlOf,
}: {
  readonly world: FakeWorld;
  readonly state: FacebookState;
  readonly newId: () => string;
  readonly urlOf: (id: string) => string;
}) {
  const isLive = ({ finished_ms }: Video): boolean =>
    finished_ms !== undefined && world.clock() >= finished_ms + world.processingMs;

  const finish = (video: Video, fields: Record<string, string>): object => {
    if (video.received < video.file_size) throw new GraphRefusal(6001, 'The upload is not complete');
    const { title, description } = fields;
    if (video.finished_ms === undefined)
      Object.assign(video, { title, description, finished_ms: world.clock() });
    return { success: true };
  };

  const chunkOf = ({ received, file_size }: Video) => ({
    start_offset: String(received),
    end_offset: String(Math.min(received + CHUNK_BYTES, file_size)),
  });

  return {
    async upload(account: string, fields: Record<string, string>): Promise<object> {
      switch (fields.upload_phase) {
        case 'start': {
          const id = newId();
          const file_size = Number(required(fields, 'file_size'));
          const video: Video = { account, kind: 'video', file_size, received: 0, file_url: null };
          state.videos[id] = video;
          return { upload_session_id: id, video_id: id, ...chunkOf(video) };
        }
        case 'transfer': {
          const video = existing(state.videos, required(fields, 'upload_session_id'));
          const at = Number(required(fields, 'start_offset'));
          if (at !== video.received) throw new GraphRefusal(6001, 'The offset is not the one expected');
          video.received += Number(required(fields, 'video_file_chunk'));
          return chunkOf(video);
        }
        case 'finish':
          return finish(existing(state.videos, required(fields, 'upload_session_id')), fields);
        default:
          throw new GraphRefusal(100, 'upload_phase is required');
      }
    },

    async session(kind: 'reel' | 'story', account: string, fields: Record<string, string>): Promise<object> {
      if (fields.upload_phase === 'start') {
        const id = newId();
        state.videos[id] = { account, kind, file_size: 1, received: 0, file_url: null };
        return { video_id: id, upload_url: `${world.url}/facebook/rupload/video-upload/v26.0/${id}` };
      }
      const id = required(fields, 'video_id');
      const video = existing(state.videos, id);
      if (kind === 'story') {
        finish(video, fields);
        state.stories[newId()] = { account, media_id: id, at_ms: world.clock() };
        return { success: true, post_id: id };
      }
      if (required(fields, 'video_state') !== 'PUBLISHED')
        throw new GraphRefusal(100, 'video_state is required');
      const recent = Object.values(state.videos).filter(
        (each) =>
          each.account === account &&
          each.kind === 'reel' &&
          (each.finished_ms ?? 0) > world.clock() - DAY_MS,
      );
      if (video.finished_ms === undefined && recent.length >= REELS_A_DAY) {
        throw new GraphRefusal(32, 'Page request limit reached');
      }
      return finish(video, fields);
    },

    /** Takes a reel's file from an address, or as bytes. */
    async rupload({ path, headers, body }: FakeRequest): Promise<object> {
      const video = existing(state.videos, path.split('/').at(-1) ?? '');
      const { file_url } = headers;
      if (file_url !== undefined) {
        if (!(await world.fetchFile(file_url)))
          throw new GraphRefusal(389, 'Unable to fetch video file from URL.');
        Object.assign(video, { file_url, received: 1 });
      } else video.received = body.length > 0 ? 1 : 0;
      return { success: true };
    },

    show(id: string): object {
      const video = existing(state.videos, id);
      const isUploaded = video.received >= video.file_size;
      const isFinished = video.finished_ms !== undefined;
      const live = isLive(video);
      return {
        id,
        published: live,
        permalink_url: urlOf(id),
        status: {
          video_status: live
            ? 'ready'
            : isFinished
              ? 'processing'
              : isUploaded
                ? 'upload_complete'
                : 'uploading',
          uploading_phase: {
            status: isUploaded ? 'complete' : 'in_progress',
            bytes_transfered: video.received,
          },
          processing_phase: { status: live ? 'complete' : isFinished ? 'in_progress' : 'not_started' },
          publishing_phase: live
            ? { status: 'complete', publish_status: 'published' }
            : { status: isFinished ? 'in_progress' : 'not_started' },
        },
      };
    },

    posts: (): ShownPost[] =>
      Object.entries(state.videos)
        .filter(([, video]) => video.kind !== 'story' && isLive(video))
        .map(([id, video]) => ({
          ...{ platform: 'facebook', account: video.account, id, kind: video.kind, url: urlOf(id) },
          text: video.description ?? '',
          media: [{ kind: 'video', url: video.file_url }],
          published_at: new Date(video.finished_ms ?? 0).toISOString(),
          details: { title: video.title },
        })),
  };
}
