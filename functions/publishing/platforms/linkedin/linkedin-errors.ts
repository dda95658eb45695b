import type { ErrorRule } from '../platform-error.ts';

const permanent = (text: string): ErrorRule => ({ class: 'permanent', text });
const EXPIRED: ErrorRule = {
  class: 'reconnect',
  event: 'token_expired',
  text: 'the connection has expired',
};
const VERSION = permanent(
  'this version of its API is retired; the operator must raise LINKEDIN_API_VERSION, then publish again',
);

/** The number LinkedIn has for a token it was told to forget; seen for seconds with brand-new ones as well. */
export const REVOKED = '65601';

/**
 * LinkedIn's refusals, by `serviceErrorCode` or `code`. Sources: LinkedIn, API error handling; Images and
 * Videos API; the token's numbers as live products see them.
 */
export const LINKEDIN_ERRORS: Readonly<Record<string, ErrorRule>> = {
  65600: EXPIRED,
  65602: EXPIRED,
  EXPIRED_ACCESS_TOKEN: EXPIRED,
  [REVOKED]: {
    class: 'reconnect',
    event: 'access_revoked',
    text: 'our app was removed from the account',
  },
  ACCESS_DENIED: {
    class: 'reconnect',
    text: 'the account does not let us post here; its role or a permission is missing',
  },
  NONEXISTENT_VERSION: VERSION,
  VERSION_MISSING: VERSION,
  FIELD_LENGTH_TOO_LONG: permanent('a text is too long; shorten it and publish again'),
  MEDIA_ASSET_WAITING_UPLOAD: { class: 'retry', text: 'it has not taken in the media yet' },
  MEDIA_ASSET_PROCESSING: { class: 'retry', text: 'it has not taken in the media yet' },
  MEDIA_ASSET_PROCESSING_FAILED: permanent(
    'it cannot use a file; encode it as JPEG, PNG or MP4 and attach it anew',
  ),
};

/** By status, where no code is known. */
export const LINKEDIN_STATUSES: Readonly<Record<number, ErrorRule>> = {
  401: EXPIRED,
  403: {
    class: 'reconnect',
    text: 'the account does not let us post here; its role or a permission is missing',
  },
  409: { class: 'retry', text: 'it is busy with this account' },
  426: VERSION,
};
