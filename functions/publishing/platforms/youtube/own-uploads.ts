import * as v from 'valibot';
import { watchUrl } from './video-resource.ts';
import type { YoutubeStep, YoutubeUrls } from './youtube-dialect.ts';

/** A video of the channel, as its list of uploads shows it. */
export interface OwnUpload {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly description: string;
  /** ISO 8601, UTC. */
  readonly publishedAt: string;
}

const Channels = v.object({
  items: v.optional(
    v.array(v.object({ contentDetails: v.object({ relatedPlaylists: v.object({ uploads: v.string() }) }) })),
    [],
  ),
});
const Playlist = v.object({
  items: v.optional(
    v.array(
      v.object({
        snippet: v.object({
          title: v.string(),
          description: v.optional(v.string(), ''),
          publishedAt: v.string(),
        }),
        contentDetails: v.object({ videoId: v.string() }),
      }),
    ),
    [],
  ),
});

/** The newest uploads of a channel, newest first, at most 50. Costs two units of quota; needs `youtube.readonly`. */
export async function ownUploads(
  step: Pick<YoutubeStep, 'call'>,
  { api }: Pick<YoutubeUrls, 'api'>,
  maxResults: number,
): Promise<OwnUpload[]> {
  const read = { kind: 'probe', method: 'GET' } as const;
  const { items: channels } = await step.call(Channels, {
    ...read,
    url: `${api}/channels`,
    query: { part: 'contentDetails', mine: true },
  });
  const playlistId = channels[0]?.contentDetails.relatedPlaylists.uploads;
  if (playlistId === undefined) return [];
  const { items } = await step.call(Playlist, {
    ...read,
    url: `${api}/playlistItems`,
    query: { part: 'snippet,contentDetails', playlistId, maxResults },
  });
  return items.map(({ snippet, contentDetails: { videoId } }) => ({
    ...snippet,
    id: videoId,
    url: watchUrl(videoId),
  }));
}
