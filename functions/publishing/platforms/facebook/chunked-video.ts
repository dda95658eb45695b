import * as v from 'valibot';
import { StepEnded } from '../platform-error.ts';
import type { StepCall } from '../step.ts';
import type { FacebookStep, GraphUrl } from './facebook-step.ts';

const VideoSession = v.object({ video_id: v.string(), upload_session_id: v.string() });
const Offsets = v.pipe(
  v.object({
    start_offset: v.union([v.string(), v.number()]),
    end_offset: v.union([v.string(), v.number()]),
  }),
  v.transform(({ start_offset, end_offset }) => ({ start: Number(start_offset), end: Number(end_offset) })),
);

/** A video in chunks, whose id is known before anything is published. Facebook says which bytes come next. */
export async function prepareVideo(step: FacebookStep, graph: GraphUrl): Promise<'ready'> {
  const [video] = step.job.media;
  if (!video) throw new Error('a video post has a video');
  const url = `${graph}/${step.credentials.page_id}/videos`;
  const call = { kind: 'upload', method: 'POST', url } as const;
  const session = await step.once('video', VideoSession, async () => {
    const form = { upload_phase: 'start', file_size: video.bytes };
    const started = await step.call(v.intersect([VideoSession, Offsets]), { ...call, body: { form } });
    const { video_id, upload_session_id, start, end } = started;
    step.keep({ start, end });
    return { video_id, upload_session_id };
  });
  for (;;) {
    const start = Number(step.handle.start);
    const end = Number(step.handle.end);
    if (start >= end) return 'ready';
    const content = {
      size: end - start,
      open: () => step.files.open(video, { start, end }),
    };
    const next = await transferred(step, {
      ...call,
      body: {
        parts: {
          upload_phase: 'transfer',
          upload_session_id: session.upload_session_id,
          start_offset: start,
        },
        file: { name: 'video_file_chunk', filename: 'chunk', content },
      },
    });
    step.keep({ ...next, tries: 0 });
  }
}

/**
 * Sends one chunk. A chunk that is refused was taken before, when its answer was lost, or is not wanted in
 * this session: then the upload begins anew, under another id. Nobody sees the one left behind.
 */
async function transferred(step: FacebookStep, call: StepCall): Promise<{ start: number; end: number }> {
  const answer = await step.ask(call);
  if (answer.outcome === 'refused') {
    if (answer.error.class !== 'later') step.keep({ video: undefined });
    throw new StepEnded({ reason: 'refused', error: answer.error });
  }
  const read = v.safeParse(Offsets, answer.body);
  if (!read.success) throw new StepEnded({ reason: 'unclear', code: 'unreadable_answer' });
  return read.output;
}
