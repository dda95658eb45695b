import { randomBytes } from 'node:crypto';
import type { CREDENTIALS } from '../../functions/channels/credentials.ts';
import type { Platform } from '../../functions/channels/platform.ts';
import type { PlatformApis } from '../../functions/publishing/env.ts';
import type { EnvOf } from '../../functions/shared/read-env.ts';
import { DAY_MS } from './graph-api.ts';

/** The settings by which functions reach the fake platforms below the public server's origin. */
export function platformSettings(
  origin: string,
): EnvOf<typeof PlatformApis> & { readonly MEDIA_URL: string } {
  const url = `${origin}/platforms`;
  return {
    MEDIA_URL: `${origin}/media`,
    FACEBOOK_API_URL: `${url}/facebook/v26.0`,
    INSTAGRAM_API_URL: `${url}/instagram/v26.0`,
    TIKTOK_API_URL: `${url}/tiktok/v2`,
    YOUTUBE_API_URL: `${url}/youtube`,
    GOOGLE_TOKEN_URL: `${url}/youtube/token`,
    LINKEDIN_API_URL: `${url}/linkedin`,
    LINKEDIN_API_VERSION: '202609',
    LINKEDIN_TOKEN_URL: `${url}/linkedin/oauth/v2/accessToken`,
  };
}

const secret = (): string => randomBytes(12).toString('hex');

/** Credentials that the fake platforms take. A new account each, so that no two channels share one. */
export function fakeCredentials(
  platform: Exclude<Platform, 'custom_webhook'>,
  nowMs: number,
): Record<string, unknown> & { readonly for?: (typeof CREDENTIALS)[Platform] } {
  const number = String(Math.floor(Math.random() * 1e9)).padStart(9, '0');
  const renewable = {
    access_token: `${platform}-${number}-${secret()}`,
    refresh_token: `refresh-${number}-${secret()}`,
    expires_at: new Date(nowMs + DAY_MS).toISOString(),
  };
  const person = platform === 'linkedin_personal' ? 'person' : 'organization';
  switch (platform) {
    case 'meta_facebook':
      return { access_token: `EAA-1${number}-${secret()}`, page_id: `1${number}` };
    case 'meta_instagram':
      return {
        access_token: `IGA-2${number}-${secret()}`,
        ig_user_id: `2${number}`,
        login: 'instagram',
        expires_at: new Date(nowMs + 60 * DAY_MS).toISOString(),
      };
    case 'tiktok':
      return { ...renewable, client_key: 'fake', client_secret: 'fake', open_id: `3${number}` };
    case 'youtube':
      return { ...renewable, client_id: 'fake', client_secret: 'fake', youtube_channel_id: `4${number}` };
    case 'linkedin_personal':
    case 'linkedin_company':
      return {
        ...renewable,
        client_id: 'fake',
        client_secret: 'fake',
        author: `urn:li:${person}:5${number}`,
      };
  }
}
