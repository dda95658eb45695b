import { META_ERRORS } from '../meta/meta-errors.ts';
import type { ErrorRule } from '../platform-error.ts';

const permanent = (text: string): ErrorRule => ({ class: 'permanent', text });

/** Sources: Page videos, reels and photo references; the codes of links and photos as live products see them. */
export const FACEBOOK_ERRORS: Readonly<Record<string, ErrorRule>> = {
  ...META_ERRORS,
  506: { class: 'check', text: 'it takes this for a repeat of a recent post' },
  389: { class: 'retry', text: 'it could not fetch the video from us' },
  6001: { class: 'retry', text: 'the upload of the video failed' },
  382: permanent('the video is too small; attach a larger one'),
  6000: permanent('it cannot read the video; encode it as MP4 (H.264, AAC) and attach it anew'),
  1363040: permanent('the video has not the shape of a reel (9:16)'),
  1363127: permanent('the resolution of the video is too low for a reel (at least 540 x 960)'),
  1363128: permanent('a reel must last 3 to 90 seconds'),
  1363129: permanent('the frame rate of the video is not one a reel can have (24 to 60)'),
  1609005: permanent('the link in the caption cannot be posted'),
  1609008: permanent('links to facebook.com cannot be posted'),
  2061006: permanent('the link in the caption is no valid URL'),
  1346003: permanent('it holds the content to be abusive'),
  1404102: permanent('it holds the content to be against its community standards'),
  1390008: { class: 'later', text: 'this Page posts too fast; we wait', waitSeconds: 900 },
  1404078: {
    class: 'reconnect',
    text: 'the Page needs a publishing authorization; its owner must complete it',
  },
  1404112: {
    class: 'reconnect',
    text: 'the account is restricted for security; its owner must act on facebook.com',
  },
  4854002: {
    class: 'reconnect',
    text: 'the owner of the account must confirm their identity on facebook.com',
  },
  1366046: permanent('a photo is too large or of a kind it does not take; use a JPEG or PNG below 4 MB'),
  1366051: permanent('a photo was already posted'),
  1349125: permanent('the content of a file is not valid'),
  2069019: permanent('a file is not valid'),
  1363047: { class: 'retry', text: 'it is not available at the moment' },
  1609010: { class: 'retry', text: 'it is not available at the moment' },
};
