import * as v from 'valibot';
import type { TiktokCredentials } from '../../../channels/credentials.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../shared/clock.ts';
import type { Published, Refused } from '../../publisher.ts';
import type { FollowUp, Looked } from '../social-platform.ts';
import { photosId } from './photo-post.ts';
import type { TiktokBase, TiktokStep } from './tiktok-dialect.ts';
import { TIKTOK_ERRORS } from './tiktok-errors.ts';
import { uploadOf, videoOf } from './video-post.ts';

/** An id of 19 digits comes as text, since it does not fit a number of JavaScript. */
const PostId = v.pipe(v.union([v.string(), v.number()]), v.transform(String));
const Status = v.object({
  data: v.object({
    status: v.string(),
    fail_reason: v.optional(v.string(), ''),
    /** Spelt so by TikTok. */
    publicaly_available_post_id: v.optional(v.array(PostId), []),
    uploaded_bytes: v.optional(v.number()),
  }),
});
type Status = v.InferOutput<typeof Status>['data'];

/** Bytes that have not arrived so long after they were sent did not arrive. */
const SETTLES_MS = MINUTE_MS;

/** Photos are pulled again once, as TikTok advises; by a new announcement, since the first one has failed. */
const MAX_PULLS = 2;

const INBOX =
  'TikTok has it in the inbox of its app: its user must finish it there, and paste the caption, which TikTok does not take from apps in this mode';

async function statusOf(step: TiktokStep, base: TiktokBase, publish_id: string): Promise<Status> {
  const { data } = await step.call(Status, {
    kind: 'probe',
    method: 'POST',
    url: `${base}/post/publish/status/fetch/`,
    body: { json: { publish_id } },
  });
  return data;
}

/** What became of a send, by the id TikTok gave for it. */
export async function verifyPost(step: TiktokStep, base: TiktokBase): Promise<Looked> {
  const isVideo = step.job.media[0]?.kind === 'video';
  const publishId = isVideo ? uploadOf(step)?.publish_id : photosId(step);
  if (publishId === undefined) {
    return { outcome: 'unknown', code: 'no_publish_id', message: 'TikTok gave no id for this' };
  }
  const status = await statusOf(step, base, publishId);
  switch (status.status) {
    case 'PUBLISH_COMPLETE':
      return posted(step, status, publishId);
    case 'SEND_TO_USER_INBOX':
      return { outcome: 'posted', warning: INBOX };
    case 'FAILED':
      return failed(step, status.fail_reason, isVideo);
    case 'PROCESSING_UPLOAD':
      if (isVideo && hasNotArrived(step, status)) {
        return { outcome: 'absent', code: 'not_arrived', message: 'TikTok has not got the whole video' };
      }
  }
  return { outcome: 'processing', code: status.status, message: 'TikTok is processing this' };
}

function hasNotArrived(step: TiktokStep, { uploaded_bytes }: Status): boolean {
  const hasSettled = step.job.clock() - Number(step.handle.sent_ms ?? 0) >= SETTLES_MS;
  return hasSettled && uploaded_bytes !== undefined && uploaded_bytes < videoOf(step).bytes;
}

function failed({ job }: TiktokStep, reason: string, isVideo: boolean): Refused | Looked {
  const rule = TIKTOK_ERRORS[reason];
  if (rule?.class === 'retry' && !isVideo && job.target.sends < MAX_PULLS) {
    return { outcome: 'absent', code: reason, message: `TikTok: ${rule.text}` };
  }
  const advice = rule?.class === 'permanent' ? '' : '; nothing has gone out, so publish it again';
  const text = rule?.text ?? `it could not publish this (${reason || 'no reason given'})`;
  return { outcome: 'refused', code: reason || 'FAILED', message: `TikTok: ${text}${advice}` };
}

/** Posts of their owner alone never get a public id; others get it once they are moderated. */
function posted(step: TiktokStep, status: Status, publish_id: string): Published {
  const { username } = step.handle;
  const kind = step.job.media[0]?.kind ?? 'video';
  const found = addressOf(status, kind, username);
  if (found) return { outcome: 'posted', externalPostId: found.id, externalPostUrl: found.url };
  const isPrivate = step.job.target.options?.privacy_level === 'SELF_ONLY';
  if (isPrivate || step.job.channel.direct_post !== true) return { outcome: 'posted' };
  const handle = { publish_id, username, until_ms: step.job.clock() + DAY_MS, looks: 0 };
  return { outcome: 'posted', followUps: [{ kind: 'permalink', handle }] };
}

function addressOf(
  { publicaly_available_post_id: [id] }: Status,
  kind: 'image' | 'video',
  username: unknown,
): { id: string; url?: string } | undefined {
  if (id === undefined) return undefined;
  if (typeof username !== 'string' || username === '') return { id };
  const place = kind === 'video' ? 'video' : 'photo';
  return { id, url: `https://www.tiktok.com/@${username}/${place}/${id}` };
}

/** Within a minute as a rule; TikTok says it may take hours. */
const LOOKS_MS = [15 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS];

/** Fills in a post's id and address once TikTok tells them. */
export const permalink = (base: TiktokBase): FollowUp<TiktokCredentials> => ({
  async prepare(step) {
    const { publish_id, username, until_ms, looks } = step.handle;
    const status = await statusOf(step, base, String(publish_id));
    const found = addressOf(status, step.job.media[0]?.kind ?? 'video', username);
    if (found) return { outcome: 'done', ...found };
    if (step.job.clock() >= Number(until_ms)) {
      return { outcome: 'refused', code: 'no_post_id', message: 'TikTok gave no public address in 24 hours' };
    }
    step.keep({ looks: Number(looks) + 1, tries: 0 });
    const forMs = LOOKS_MS[Number(looks)] ?? 30 * MINUTE_MS;
    return { outcome: 'waiting', code: 'no_post_id', message: 'TikTok has not given an address yet', forMs };
  },
});
