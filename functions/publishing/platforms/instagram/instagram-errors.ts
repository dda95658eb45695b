import { META_ERRORS } from '../meta/meta-errors.ts';
import type { ErrorRule } from '../platform-error.ts';

const permanent = (text: string): ErrorRule => ({ class: 'permanent', text });
const again = (text: string): ErrorRule => ({ class: 'retry', text });

/** Source: Instagram Platform, error codes. A subcode means the same under whatever code it comes. */
export const INSTAGRAM_ERRORS: Readonly<Record<string, ErrorRule>> = {
  ...META_ERRORS,
  2207003: again('it could not fetch the media from us in time'),
  2207020: again('the prepared post was too old; we prepare it anew'),
  2207001: again('it failed on its side'),
  2207032: again('it failed on its side'),
  2207053: again('the upload failed on its side'),
  2207057: permanent('the cover frame lies outside the video'),
  // Seen to be answered for posts that were live all the same.
  2207051: { class: 'later', text: 'it has blocked this action for a while', waitSeconds: 3600 },
  2207042: {
    class: 'later',
    text: 'the account has reached its number of posts in 24 hours; this goes out as soon as it may',
    waitSeconds: 3600,
  },
  2207006: again('the prepared post was not found'),
  2207008: again('the prepared post was not found yet'),
  2207050: permanent('the account is restricted; its owner must open the Instagram app and see why'),
  2207023: permanent('it does not take this kind of media'),
  2207028: permanent('a carousel must have 2 to 10 items'),
  2207035: permanent('a product tag is not valid'),
  2207036: permanent('a product tag is not valid'),
  2207037: permanent('a product tag is not valid'),
  2207040: permanent('the caption mentions more than 20 accounts'),
  2207026: permanent('it cannot read the video; encode it as MP4 (H.264, AAC) and attach it anew'),
  2207052: again('it could not fetch the media from us'),
  2207027: again('the prepared post is not ready yet'),
  2207004: permanent('an image is too large'),
  2207005: permanent('an image is of a kind it does not take'),
  2207009: permanent('the shape of an image is outside 4:5 to 1.91:1'),
  2207010: permanent('the caption is too long'),
  2207077: again('it could not fetch the video from us'),
  2207082: again('the upload of the video failed'),
  2207081: permanent('the account cannot post trial reels'),
};
