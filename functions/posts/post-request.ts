import * as v from 'valibot';
import { DateTime } from '../shared/date-time.ts';
import { strictObject } from '../shared/strict-object.ts';
import { text, Uuid } from '../shared/text.ts';
import { TargetOptions } from './target-options.ts';

const CaptionText = text(1, 5000);
const MAX_CHANNELS = 25;
const MAX_MEDIA = 10;

/** Stands for a channel's id in the examples of the documentation. */
const EXAMPLE_CHANNEL = '0199c3f2-7a41-7c65-9d0e-3b1f2a4c5d6e';

/** One channel of a post, with what differs there. */
export const ChannelTarget = strictObject({
  id: v.pipe(Uuid, v.description('The channel, by its id from GET /channels.')),
  caption: v.optional(v.pipe(CaptionText, v.description('Replaces the base caption on this channel.'))),
  title: v.optional(
    v.pipe(text(1, 500), v.description('YouTube only; derived from the caption when absent.')),
  ),
  description: v.optional(v.pipe(text(0, 5000), v.description('YouTube only; the caption when absent.'))),
  options: v.optional(TargetOptions),
});
export type ChannelTarget = v.InferOutput<typeof ChannelTarget>;

const MediaReference = v.pipe(
  strictObject({
    id: v.optional(v.pipe(Uuid, v.description('Media that was uploaded before.'))),
    url: v.optional(
      v.pipe(
        v.string(),
        v.description('A public HTTPS URL the service fetches.'),
        v.metadata({ format: 'uri', pattern: '^https://' }),
      ),
    ),
  }),
  v.check(({ id, url }) => (id === undefined) !== (url === undefined), 'must have either an id or a url'),
  v.metadata({ minProperties: 1, maxProperties: 1 }),
);
export type MediaReference = v.InferOutput<typeof MediaReference>;

const Channels = v.pipe(
  v.array(ChannelTarget),
  v.minLength(1, 'must name at least one channel'),
  v.maxLength(MAX_CHANNELS, `must name at most ${MAX_CHANNELS} channels`),
);
const MediaReferences = v.pipe(
  v.array(MediaReference),
  v.maxLength(MAX_MEDIA, `must have at most ${MAX_MEDIA} items`),
  v.description('In the order they are shown.'),
);

/** The body of POST /posts and POST /drafts. */
export const CreatePostRequest = v.pipe(
  strictObject({
    caption: v.pipe(CaptionText, v.description('The caption of every channel without its own.')),
    channels: Channels,
    media: v.optional(MediaReferences),
    scheduled_for: v.optional(
      v.pipe(
        DateTime,
        v.description('At least 2 minutes and at most a year ahead; the post is published then.'),
      ),
    ),
    publish_now: v.optional(v.pipe(v.boolean(), v.description('Publishes at once; excludes scheduled_for.'))),
  }),
  v.examples([{ caption: 'Fresh bread from seven.', channels: [{ id: EXAMPLE_CHANNEL }] }]),
);
export type CreatePostRequest = v.InferOutput<typeof CreatePostRequest>;

/** The body of PATCH /posts/{id}: what is present replaces, what is absent stays. */
export const UpdatePostRequest = v.pipe(
  strictObject({
    caption: v.optional(CaptionText),
    channels: v.optional(Channels),
    media: v.optional(MediaReferences),
    scheduled_for: v.optional(DateTime),
    publish_now: v.optional(v.boolean()),
  }),
  v.check((body) => Object.keys(body).length > 0, 'must have at least one field to change'),
  v.metadata({ minProperties: 1 }),
  v.examples([{ caption: 'Fresh bread from six.' }]),
);
export type UpdatePostRequest = v.InferOutput<typeof UpdatePostRequest>;

/**
 * Ids in a path are read as they are: one that is no UUID names nothing, and is answered 404 like any
 * other that names nothing.
 */
export const PostPath = v.object({ id: v.pipe(v.string(), v.toLowerCase(), v.metadata({ format: 'uuid' })) });
