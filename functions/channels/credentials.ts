import * as v from 'valibot';
import { strictObject } from '../shared/strict-object.ts';
import type { Platform } from './platform.ts';

const Secret = v.pipe(v.string(), v.nonEmpty('must not be empty'));
const Id = v.pipe(v.string(), v.regex(/^[\w.:-]{1,128}$/, 'must be an id as the platform gives it'));
const Moment = v.pipe(v.string(), v.isoTimestamp('must be an ISO 8601 timestamp in UTC'));

/** Tokens that run out and are renewed with a refresh token. */
const Renewable = {
  access_token: Secret,
  refresh_token: Secret,
  expires_at: v.optional(Moment),
  refresh_expires_at: v.optional(Moment),
};

/** The credentials of a webhook channel. */
export const WebhookCredentials = v.object({ secret: Secret });

/** A Page's own token, made from a long-lived user token: it has no expiry date and is never refreshed. */
export const FacebookCredentials = strictObject({ access_token: Secret, page_id: Id });
export type FacebookCredentials = v.InferOutput<typeof FacebookCredentials>;

/** An account connected through its Page (`facebook`) or by itself (`instagram`, a token of 60 days). */
export const InstagramCredentials = strictObject({
  access_token: Secret,
  ig_user_id: Id,
  login: v.optional(v.picklist(['facebook', 'instagram']), 'facebook'),
  expires_at: v.optional(Moment),
});
export type InstagramCredentials = v.InferOutput<typeof InstagramCredentials>;

export const TiktokCredentials = strictObject({
  ...Renewable,
  client_key: Secret,
  client_secret: Secret,
  open_id: Id,
});
export type TiktokCredentials = v.InferOutput<typeof TiktokCredentials>;

export const YoutubeCredentials = strictObject({
  ...Renewable,
  client_id: Secret,
  client_secret: Secret,
  youtube_channel_id: v.optional(Id),
});
export type YoutubeCredentials = v.InferOutput<typeof YoutubeCredentials>;

/** `author` is the URN posts are made as: `urn:li:person:...` or `urn:li:organization:...`. */
export const LinkedinCredentials = strictObject({
  ...Renewable,
  refresh_token: v.optional(Secret),
  client_id: v.optional(Secret),
  client_secret: v.optional(Secret),
  author: v.pipe(
    v.string(),
    v.regex(/^urn:li:(person|organization):[\w-]+$/, 'must be urn:li:person:... or urn:li:organization:...'),
  ),
});
export type LinkedinCredentials = v.InferOutput<typeof LinkedinCredentials>;

/** What the sealed credentials of each platform hold; checked when a channel is connected. */
export const CREDENTIALS = {
  meta_facebook: FacebookCredentials,
  meta_instagram: InstagramCredentials,
  tiktok: TiktokCredentials,
  youtube: YoutubeCredentials,
  linkedin_personal: LinkedinCredentials,
  linkedin_company: LinkedinCredentials,
  custom_webhook: WebhookCredentials,
} as const satisfies Record<Platform, v.GenericSchema>;
