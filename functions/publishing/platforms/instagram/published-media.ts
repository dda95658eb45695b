import * as v from 'valibot';
import { MINUTE_MS } from '../../../shared/clock.ts';
import { graphOf, type InstagramStep, type InstagramUrls, textOf } from './instagram-step.ts';

const Published = v.object({
  id: v.string(),
  caption: v.optional(v.string(), ''),
  timestamp: v.string(),
  permalink: v.optional(v.string()),
});
type Published = v.InferOutput<typeof Published>;

/** The account's clock and ours may differ by this much. */
const TOLERANCE_MS = 5 * MINUTE_MS;

/**
 * The media that a container known to be published became: no edge leads from one to the other, so it is
 * found by caption and time. Several that fit are none: a wrong address is worse than no address.
 */
export async function publishedMedia(
  step: InstagramStep,
  urls: InstagramUrls,
): Promise<Published | undefined> {
  const answer = await step.ask({
    kind: 'probe',
    method: 'GET',
    url: `${graphOf(step, urls)}/${step.credentials.ig_user_id}/media`,
    query: { fields: 'id,caption,timestamp,permalink', limit: 25 },
  });
  const read =
    answer.outcome === 'answered'
      ? v.safeParse(v.object({ data: v.array(Published) }), answer.body)
      : undefined;
  if (!read?.success) return undefined;
  const sinceMs = Date.parse(step.job.target.first_sent_at ?? step.job.post.created_at) - TOLERANCE_MS;
  const fitting = read.output.data.filter(
    ({ caption, timestamp }) => caption === textOf(step) && Date.parse(timestamp) >= sinceMs,
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** The address of published media. */
export async function permalinkOf(step: InstagramStep, urls: InstagramUrls, id: string): Promise<string> {
  const { permalink } = await step.call(v.object({ permalink: v.string() }), {
    kind: 'probe',
    method: 'GET',
    url: `${graphOf(step, urls)}/${id}`,
    query: { fields: 'permalink' },
  });
  return permalink;
}
