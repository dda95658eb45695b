import type { YoutubeCredentials } from '../../../channels/credentials.ts';
import type { FollowUp } from '../social-platform.ts';
import type { YoutubeUrls } from './youtube-dialect.ts';

/** Gives a video the frame we chose as its picture. Setting it twice is as good as once; a refusal ends it. */
export const posterThumbnail = ({ uploads }: YoutubeUrls): FollowUp<YoutubeCredentials> => ({
  async prepare(step) {
    const [video] = step.job.media;
    const [poster] = video?.posters ?? [];
    if (!poster) return { outcome: 'done' };
    const bytes = { size: poster.bytes, open: () => step.files.open(poster) };
    // Not through `exchange`: its quota is another one than that of uploads, so a limit here must not stop those.
    const answer = await step.upload({
      kind: 'upload',
      method: 'POST',
      url: `${uploads}/thumbnails/set`,
      query: { videoId: String(step.handle.video_id) },
      headers: { authorization: `Bearer ${step.credentials.access_token}` },
      body: { bytes, contentType: poster.mime },
    });
    if (answer.status < 300) return { outcome: 'done' };
    const message = 'YouTube did not take the thumbnail; the video keeps the one YouTube chose';
    return { outcome: 'refused', code: `http_${answer.status}`, message };
  },
});
