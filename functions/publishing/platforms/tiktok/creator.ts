import * as v from 'valibot';
import type { Refused } from '../../publisher.ts';
import type { TiktokBase, TiktokStep } from './tiktok-dialect.ts';

const Creator = v.object({
  creator_username: v.optional(v.string(), ''),
  privacy_level_options: v.array(v.string()),
  comment_disabled: v.optional(v.boolean(), false),
  duet_disabled: v.optional(v.boolean(), false),
  stitch_disabled: v.optional(v.boolean(), false),
  max_video_post_duration_sec: v.optional(v.number()),
});
export type Creator = v.InferOutput<typeof Creator>;

const Answer = v.object({ data: Creator });

/** What the account lets apps do at this moment; TikTok wants it asked before every post. */
export async function creatorOf(step: TiktokStep, base: TiktokBase): Promise<Creator> {
  const { data } = await step.call(Answer, {
    kind: 'prepare',
    method: 'POST',
    url: `${base}/post/publish/creator_info/query/`,
    body: { json: {} },
  });
  return data;
}

/** Why the account would not take this post; found out before anything is sent. */
export function creatorRefusal({ job }: TiktokStep, creator: Creator): Refused | undefined {
  const privacy = job.target.options?.privacy_level;
  if (privacy === undefined || !creator.privacy_level_options.includes(privacy)) {
    const offered = creator.privacy_level_options.join(', ');
    const message = `TikTok: the account offers the privacy levels ${offered}, not ${privacy ?? 'none'}; choose one of them and publish again`;
    return { outcome: 'refused', code: 'privacy_level_option_mismatch', message };
  }
  const [first] = job.media;
  const maxSeconds = creator.max_video_post_duration_sec;
  const isTooLong =
    first?.kind === 'video' &&
    maxSeconds !== undefined &&
    first.duration_ms !== null &&
    first.duration_ms > maxSeconds * 1000;
  if (!isTooLong) return undefined;
  const message = `TikTok: media ${first.id} is longer than the ${maxSeconds} s this account may post; cut it and publish again`;
  return { outcome: 'refused', code: 'duration_check_failed', message };
}

/** What the post says of itself. Toggles are always sent, as their absence is not defined. */
export function postInfo({ job }: TiktokStep, creator: Creator, kind: 'video' | 'photo'): object {
  const options = job.target.options ?? {};
  const isOff = (option: boolean | undefined, isOffForAll: boolean) => option === true || isOffForAll;
  return {
    privacy_level: options.privacy_level,
    disable_comment: isOff(options.disable_comment, creator.comment_disabled),
    ...(kind === 'video' && {
      disable_duet: isOff(options.disable_duet, creator.duet_disabled),
      disable_stitch: isOff(options.disable_stitch, creator.stitch_disabled),
      is_aigc: options.is_aigc === true,
    }),
    ...(kind === 'photo' && { auto_add_music: false }),
    brand_content_toggle: options.brand_content_toggle === true,
    brand_organic_toggle: options.brand_organic_toggle === true,
  };
}
