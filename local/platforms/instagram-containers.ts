import type { FakeWorld, ShownMedia } from './fake-platform.ts';
import { DAY_MS, existing, GraphRefusal, jsonField, required } from './graph-api.ts';

/** A post, or an item of one, that nobody sees until it is published; it lives a day. */
export interface Container {
  readonly account: string;
  readonly kind: 'image' | 'reel' | 'carousel' | 'story' | 'item';
  readonly caption: string;
  readonly media: readonly ShownMedia[];
  readonly details: Readonly<Record<string, unknown>>;
  readonly created_ms: number;
  /** When processing is over. */
  readonly ready_ms: number;
  /** Why processing failed. */
  readonly error?: string | undefined;
  published_as?: string;
}

const CONTAINERS_A_DAY = 400;
const CAPTION_LIMIT = 2200;

/** Makes containers, and tells how they stand. */
export function instagramContainers({
  world,
  state,
  newId,
}: {
  readonly world: FakeWorld;
  readonly state: { readonly containers: Record<string, Container> };
  readonly newId: () => string;
}) {
  const since = (ms: number) => ms > world.clock() - DAY_MS;

  const stateOf = (container: Container): string => {
    if (container.published_as) return 'PUBLISHED';
    if (container.created_ms + DAY_MS <= world.clock()) return 'EXPIRED';
    if (world.clock() < container.ready_ms) return 'IN_PROGRESS';
    return container.error === undefined ? 'FINISHED' : 'ERROR';
  };

  async function create(account: string, fields: Record<string, string>): Promise<object> {
    const today = Object.values(state.containers).filter(
      (each) => each.account === account && since(each.created_ms),
    );
    if (today.length >= CONTAINERS_A_DAY) throw new GraphRefusal(4, 'Application request limit reached');
    if ([...(fields.caption ?? '')].length > CAPTION_LIMIT)
      throw new GraphRefusal(36004, 'Caption too long', 2207010);
    const { collaborators } = fields;
    if (collaborators !== undefined && fields.is_carousel_item === 'true') {
      throw new GraphRefusal(100, 'param collaborators is not allowed');
    }
    const id = newId();
    state.containers[id] = {
      account,
      caption: fields.caption ?? '',
      created_ms: world.clock(),
      details: {
        ...(collaborators !== undefined && { collaborators: jsonField(collaborators) }),
        ...(fields.share_to_feed !== undefined && { share_to_feed: fields.share_to_feed === 'true' }),
      },
      ...(fields.media_type === 'CAROUSEL' ? carousel(account, fields) : await single(fields)),
    };
    return { id };
  }

  function carousel(account: string, fields: Record<string, string>) {
    const children = required(fields, 'children')
      .split(',')
      .map((id) => existing(state.containers, id));
    if (children.length < 2 || children.length > 10)
      throw new GraphRefusal(100, 'Carousel of 2 to 10', 2207028);
    if (
      children.some(
        (child) => child.account !== account || child.kind !== 'item' || stateOf(child) !== 'FINISHED',
      )
    ) {
      throw new GraphRefusal(9007, 'Media ID is not available', 2207027);
    }
    const media = children.flatMap((child) => child.media);
    return { kind: 'carousel' as const, media, ready_ms: world.clock() };
  }

  async function single(fields: Record<string, string>) {
    const { image_url, video_url, media_type, alt_text } = fields;
    const url = image_url ?? video_url;
    if (url === undefined) throw new GraphRefusal(100, 'image_url or video_url is required', 2207023);
    const file = await world.fetchFile(url);
    if (!file) throw new GraphRefusal(9004, 'The media could not be fetched from this URI', 2207052);
    const isImage = image_url !== undefined;
    if (isImage && file.type !== 'image/jpeg') throw new GraphRefusal(36001, 'Only JPEG is taken', 2207005);
    const item: ShownMedia = { kind: isImage ? 'image' : 'video', url, alt_text };
    const kind =
      fields.is_carousel_item === 'true'
        ? ('item' as const)
        : media_type === 'STORIES'
          ? ('story' as const)
          : isImage
            ? ('image' as const)
            : ('reel' as const);
    const ready_ms = world.clock() + (isImage ? 0 : world.processingMs);
    return {
      kind,
      media: [item],
      ready_ms,
      ...(!isImage && !file.type.startsWith('video/') && { error: 'format' }),
    };
  }

  return { create, stateOf };
}
