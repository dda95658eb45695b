import type { PlatformApis } from '../functions/publishing/env.ts';
import type { EnvOf } from '../functions/shared/read-env.ts';

/** The platforms themselves, at the versions our publishers were written for; see docs/platforms.md. */
export const PLATFORM_APIS: EnvOf<typeof PlatformApis> = {
  FACEBOOK_API_URL: 'https://graph.facebook.com/v26.0',
  INSTAGRAM_API_URL: 'https://graph.instagram.com/v26.0',
  TIKTOK_API_URL: 'https://open.tiktokapis.com/v2',
  YOUTUBE_API_URL: 'https://www.googleapis.com',
  GOOGLE_TOKEN_URL: 'https://oauth2.googleapis.com/token',
  LINKEDIN_API_URL: 'https://api.linkedin.com',
  LINKEDIN_API_VERSION: '202609',
  LINKEDIN_TOKEN_URL: 'https://www.linkedin.com/oauth/v2/accessToken',
};
