import * as v from 'valibot';
import { MINUTE_MS, SECOND_MS } from '../../../shared/clock.ts';
import type { Refused } from '../../publisher.ts';
import type { Looked, Processing, Waiting } from '../social-platform.ts';
import { Done, type FacebookStep, type GraphUrl, textOf } from './facebook-step.ts';

const Text = v.string();
const ReelSession = v.object({ video_id: v.string(), upload_url: v.string() });

const Phase = v.optional(
  v.object({
    status: v.optional(v.string()),
    publish_status: v.optional(v.string()),
    error: v.optional(v.looseObject({ message: v.optional(v.string()) })),
  }),
);
const Video = v.object({
  published: v.optional(v.boolean()),
  permalink_url: v.optional(v.string()),
  status: v.object({
    video_status: v.string(),
    uploading_phase: Phase,
    processing_phase: Phase,
    publishing_phase: Phase,
  }),
});
type Video = v.InferOutput<typeof Video>;

const LOOK_AGAIN_MS = 5 * SECOND_MS;

/** A finish that has shown no effect for this long had none. */
const FINISH_SETTLES_MS = MINUTE_MS;

/** Both spellings are in the guide. */
const isComplete = (phase: Video['status']['uploading_phase']): boolean =>
  phase?.status === 'complete' || phase?.status === 'completed';

/** A reel, fetched by Facebook from our address; ready once it has it. */
export async function prepareReel(
  step: FacebookStep,
  graph: GraphUrl,
  edge: 'video_reels' | 'video_stories' = 'video_reels',
): Promise<'ready' | Refused | Waiting> {
  const [video] = step.job.media;
  if (!video) throw new Error('a reel has a video');
  const session = await step.once('video', ReelSession, () =>
    step.call(ReelSession, {
      kind: 'prepare',
      method: 'POST',
      url: `${graph}/${step.credentials.page_id}/${edge}`,
      body: { form: { upload_phase: 'start' } },
    }),
  );
  await step.once('uploaded', v.literal(true), async () => {
    const file_url = step.files.publicUrl(video);
    const authorization = `OAuth ${step.credentials.access_token}`;
    const headers = { authorization, file_url };
    await step.call(Done, { kind: 'upload', method: 'POST', url: session.upload_url, headers });
    return true as const;
  });
  const { status } = await videoOf(step, graph);
  const failed = failureOf(status);
  if (failed) return failed;
  if (isComplete(status.uploading_phase)) return 'ready';
  const message = 'Facebook is fetching the video';
  return { outcome: 'waiting', code: 'uploading', message, forMs: LOOK_AGAIN_MS };
}

/** Publishes what was uploaded. What comes of it shows later, so it is looked for. */
export async function sendVideo(
  step: FacebookStep,
  graph: GraphUrl,
  edge: 'videos' | 'video_reels',
): Promise<Processing> {
  const { video_id, upload_session_id } = v.parse(
    v.object({ video_id: v.string(), upload_session_id: v.optional(v.string()) }),
    step.handle.video,
  );
  const named =
    edge === 'videos' ? { upload_session_id, published: true } : { video_id, video_state: 'PUBLISHED' };
  step.keep({ finished_ms: step.job.clock() });
  await step.call(Done, {
    kind: 'send',
    method: 'POST',
    url: `${graph}/${step.credentials.page_id}/${edge}`,
    body: {
      form: {
        upload_phase: 'finish',
        ...named,
        description: textOf(step),
        title: step.job.target.options?.video_title,
      },
    },
  });
  return { outcome: 'processing', code: 'processing', message: 'Facebook is processing the video' };
}

/** The video tells by its id what became of it. */
export async function verifyVideo(step: FacebookStep, graph: GraphUrl): Promise<Looked> {
  const video_id = v.parse(Text, v.parse(v.object({ video_id: v.string() }), step.handle.video).video_id);
  const { status, published, permalink_url } = await videoOf(step, graph);
  const failed = failureOf(status);
  if (failed) return failed;
  const phase = status.publishing_phase;
  if (phase?.publish_status === 'draft') {
    const message =
      'Facebook kept the video as a draft of the Page instead of publishing it; publish it there, in the Page’s own tools';
    return { outcome: 'refused', code: 'draft', message };
  }
  if (published === true || phase?.publish_status === 'published' || isComplete(phase)) {
    const externalPostUrl = permalink_url ? absolute(permalink_url) : `https://www.facebook.com/${video_id}`;
    return { outcome: 'posted', externalPostId: video_id, externalPostUrl };
  }
  const finishedMs = Number(step.handle.finished_ms ?? 0);
  const hasSettled = step.job.clock() - finishedMs >= FINISH_SETTLES_MS;
  if (phase?.status === 'not_started' && hasSettled) {
    return { outcome: 'absent', code: 'not_started', message: 'Facebook has not begun to publish it' };
  }
  return { outcome: 'processing', code: status.video_status, message: 'Facebook is processing the video' };
}

/** The Graph API gives some addresses without their host. */
const absolute = (url: string): string => (url.startsWith('/') ? `https://www.facebook.com${url}` : url);

async function videoOf(step: FacebookStep, graph: GraphUrl): Promise<Video> {
  const { video_id } = v.parse(v.object({ video_id: v.string() }), step.handle.video);
  return step.call(Video, {
    kind: 'probe',
    method: 'GET',
    url: `${graph}/${video_id}`,
    query: { fields: 'published,permalink_url,status' },
  });
}

function failureOf({ video_status, ...phases }: Video['status']): Refused | undefined {
  const errors = [phases.uploading_phase, phases.processing_phase, phases.publishing_phase];
  const said = errors.find((phase) => phase?.error)?.error?.message;
  const hasFailed = ['error', 'expired', 'upload_failed'].includes(video_status);
  if (!hasFailed && phases.publishing_phase?.publish_status !== 'error') return undefined;
  const message = `Facebook could not use the video${said ? ` (it said: ${said.slice(0, 200)})` : ''}; encode it as MP4 (H.264, AAC) and publish it again`;
  return { outcome: 'refused', code: video_status, message };
}
