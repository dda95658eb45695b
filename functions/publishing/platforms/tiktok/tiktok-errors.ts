import type { ErrorRule } from '../platform-error.ts';

const DAY_SECONDS = 24 * 60 * 60;
const permanent = (text: string): ErrorRule => ({ class: 'permanent', text });
const spam = (text: string): ErrorRule =>
  permanent(`${text}; it asks not to try again, so look into the TikTok app for what it says`);

/**
 * TikTok's codes, of refusals and of failed posts alike. Source: Content Posting API, the error tables of
 * its references and of "get post status". Limits come as 200 with such a code.
 */
export const TIKTOK_ERRORS: Readonly<Record<string, ErrorRule>> = {
  access_token_invalid: {
    class: 'reconnect',
    event: 'token_expired',
    text: 'its connection is no longer valid',
  },
  scope_not_authorized: {
    class: 'reconnect',
    event: 'access_revoked',
    text: 'the account does not let us post; grant all permissions',
  },
  auth_removed: {
    class: 'reconnect',
    event: 'access_revoked',
    text: 'our app was removed from the account',
  },
  scope_permission_missed: {
    class: 'reconnect',
    text: 'a permission is missing; grant all of them',
  },
  rate_limit_exceeded: {
    class: 'later',
    text: 'its limit of requests a minute is reached; we wait',
    waitSeconds: 60,
  },
  spam_risk_too_many_posts: {
    class: 'later',
    text: 'the account has reached the number of posts TikTok takes from apps in 24 hours; we wait',
    waitSeconds: DAY_SECONDS,
  },
  spam_risk_too_many_pending_share: {
    class: 'later',
    text: 'too many posts wait in the inbox of the TikTok app; finish or discard them there, meanwhile we wait',
    waitSeconds: DAY_SECONDS,
  },
  reached_active_user_cap: {
    class: 'later',
    text: 'our app has reached the number of accounts it may post for in 24 hours; we wait',
    waitSeconds: DAY_SECONDS,
  },
  internal: { class: 'retry', text: 'it failed on its side' },
  internal_error: { class: 'retry', text: 'it failed on its side' },
  video_pull_failed: { class: 'retry', text: 'it could not fetch the video from us' },
  photo_pull_failed: { class: 'retry', text: 'it could not fetch the photos from us' },
  privacy_level_option_mismatch: permanent(
    'the account does not offer this privacy_level; choose another and publish again',
  ),
  unaudited_client_can_only_post_to_private_accounts: permanent(
    'our app is not audited yet, so it posts to private accounts only; the operator must have it audited',
  ),
  url_ownership_unverified: permanent(
    'the address of our media is not verified with TikTok; the operator must add it to the app’s URL properties',
  ),
  app_version_check_failed: permanent(
    'the TikTok app of this account is too old for photos; update it to 31.8 or later and publish again',
  ),
  spam_risk: spam('it takes this for spam'),
  spam_risk_text: spam('it takes the caption for spam'),
  spam_risk_user_banned_from_posting: spam('it has banned the account from posting'),
  file_format_check_failed: permanent(
    'it does not take the format of a file; use MP4 (H.264, AAC) or JPEG and publish again',
  ),
  duration_check_failed: permanent(
    'the video is too short, or too long for this account; cut it and publish again',
  ),
  frame_rate_check_failed: permanent(
    'the frame rate of the video is not 23 to 60 a second; encode it anew and publish again',
  ),
  picture_size_check_failed: permanent(
    'the size of the picture is not one it takes (360 to 4096 pixels a side); change it and publish again',
  ),
  invalid_param: permanent('it refused the content of this post; change it and publish again'),
  publish_cancelled: permanent('the post was cancelled at TikTok'),
};
