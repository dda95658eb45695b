import type { ErrorRule } from '../platform-error.ts';

const DAY_SECONDS = 24 * 60 * 60;
const permanent = (text: string): ErrorRule => ({ class: 'permanent', text });
const missing: ErrorRule = {
  class: 'reconnect',
  text: 'the account does not let us upload; grant all permissions',
};

/** The reason whose limit is the whole project's, until midnight in California. */
export const PROJECT_QUOTA = 'quotaExceeded';

/** YouTube's reasons. Source: YouTube Data API, errors of videos.insert and of the API as a whole. */
export const YOUTUBE_ERRORS: Readonly<Record<string, ErrorRule>> = {
  [PROJECT_QUOTA]: {
    class: 'later',
    text: 'the uploads of this day are used up for all customers of this service; they go on after midnight in California',
  },
  uploadLimitExceeded: {
    class: 'later',
    text: 'the channel has reached the number of uploads YouTube takes in a day; we wait',
    waitSeconds: DAY_SECONDS,
  },
  rateLimitExceeded: { class: 'later', text: 'it is asked too often; we wait', waitSeconds: 60 },
  userRateLimitExceeded: { class: 'later', text: 'it is asked too often; we wait', waitSeconds: 60 },
  uploadRateLimitExceeded: { class: 'later', text: 'it is asked too often; we wait', waitSeconds: 60 },
  authError: { class: 'reconnect', event: 'token_expired', text: 'the connection is no longer valid' },
  youtubeSignupRequired: permanent(
    'the account has no YouTube channel; make one at youtube.com and publish again',
  ),
  accessNotConfigured: permanent(
    'the YouTube API is not enabled for our project; the operator must enable it',
  ),
  forbidden: missing,
  insufficientPermissions: missing,
  forbiddenPrivacySetting: permanent('the channel may not use this privacy_status; choose another'),
  forbiddenLicenseSetting: permanent('the channel may not use this license'),
  invalidTitle: permanent('it refused the title; give another one of at most 100 characters without < and >'),
  invalidDescription: permanent(
    'it refused the description; use at most 5000 bytes without < and >, and publish again',
  ),
  invalidTags: permanent('it refused the tags; use fewer or shorter ones and publish again'),
  invalidCategoryId: permanent('there is no such category_id in its country; choose another'),
  invalidFilename: permanent('it refused the name of the file'),
  invalidVideoMetadata: permanent('it refused what the post says of the video; change it and publish again'),
  mediaBodyRequired: permanent('it got no video'),
};
