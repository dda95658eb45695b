import type { ErrorRule } from '../platform-error.ts';

const TOKEN = 'its connection is no longer valid';
const LIMIT = 'its limit of requests is reached; this goes out as soon as it may';
const HOUR_SECONDS = 3600;

/**
 * What Facebook and Instagram share. Sources: Graph API, error handling and rate limiting. Only what says so
 * of the token itself moves the channel; a missing permission may be our app's own.
 */
export const META_ERRORS = {
  '190/463': { class: 'reconnect', event: 'token_expired', text: 'the connection has expired' },
  '190/458': { class: 'reconnect', event: 'access_revoked', text: 'our app was removed from the account' },
  '190/460': {
    class: 'reconnect',
    event: 'token_expired',
    text: 'the connection ended with a change of password',
  },
  '190/467': { class: 'reconnect', event: 'token_expired', text: TOKEN },
  '190/459': {
    class: 'reconnect',
    event: 'token_expired',
    text: 'the account is held by a security check; its owner must log in at facebook.com first',
  },
  '190/464': {
    class: 'reconnect',
    event: 'token_expired',
    text: 'the account is not confirmed; its owner must log in at facebook.com first',
  },
  '190/492': {
    class: 'reconnect',
    event: 'access_revoked',
    text: 'the person who connected it has lost their role on the Page',
  },
  190: { class: 'reconnect', event: 'token_expired', text: TOKEN },
  102: { class: 'reconnect', event: 'token_expired', text: TOKEN },
  3: { class: 'reconnect', text: 'a permission is missing; grant all of them' },
  10: { class: 'reconnect', text: 'a permission is missing; grant all of them' },
  permission: { class: 'reconnect', text: 'a permission is missing; grant all of them' },
  1: { class: 'check', text: 'it failed on its side' },
  2: { class: 'check', text: 'it is not available at the moment' },
  4: { class: 'later', text: LIMIT },
  17: { class: 'later', text: LIMIT },
  32: { class: 'later', text: LIMIT },
  341: { class: 'later', text: LIMIT },
  613: { class: 'later', text: LIMIT },
  80001: { class: 'later', text: LIMIT },
  80002: { class: 'later', text: LIMIT },
  368: {
    class: 'later',
    text: 'it has blocked the account for a while because of its activity; its owner can see why in the app',
    waitSeconds: 4 * HOUR_SECONDS,
  },
  100: { class: 'permanent', text: 'it refused the content of this post; change it and publish it again' },
  '100/33': { class: 'retry', text: 'it does not show this at the moment' },
} as const satisfies Record<string, ErrorRule>;
