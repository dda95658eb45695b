import { type FakePlatform, type FakeRequest, type FakeWorld, fieldsOf } from './fake-platform.ts';
import {
  accountOf,
  DAY_MS,
  existing,
  GraphRefusal,
  graphAnswer,
  graphTime,
  required,
  segmentsOf,
} from './graph-api.ts';
import { type Container, instagramContainers } from './instagram-containers.ts';

interface Media {
  readonly account: string;
  readonly container: string;
  readonly at_ms: number;
}

/** All a fake Instagram knows. */
export interface InstagramState {
  count: number;
  containers: Record<string, Container>;
  media: Record<string, Media>;
}

/** Publishing limit of an account: posts in 24 hours. */
const POSTS_A_DAY = 50;

/** Instagram's content publishing: containers that live a day, and media once they are published. */
export function fakeInstagram(
  world: FakeWorld,
  state: InstagramState = { count: 0, containers: {}, media: {} },
): FakePlatform {
  const newId = () => `2${String(++state.count).padStart(11, '0')}`;
  const urlOf = (id: string) => `${world.url}#instagram-${id}`;
  const since = (ms: number) => ms > world.clock() - DAY_MS;

  const { create, stateOf } = instagramContainers({ world, state, newId });

  const publishedToday = (account: string): number =>
    Object.values(state.media).filter((each) => each.account === account && since(each.at_ms)).length;

  function publish(account: string, fields: Record<string, string>): object {
    const id = required(fields, 'creation_id');
    const container = existing(state.containers, id);
    if (stateOf(container) === 'IN_PROGRESS')
      throw new GraphRefusal(9007, 'Media ID is not available', 2207027);
    const isAgain = world.isRepeatable && stateOf(container) === 'PUBLISHED';
    if (stateOf(container) !== 'FINISHED' && !isAgain)
      throw new GraphRefusal(24, 'The media was not found', 2207006);
    if (publishedToday(account) >= POSTS_A_DAY) throw new GraphRefusal(9, 'Daily limit reached', 2207042);
    const media = newId();
    container.published_as = media;
    state.media[media] = { account, container: id, at_ms: world.clock() };
    return { id: media };
  }

  const shown = (id: string, { container, at_ms }: Media): Record<string, unknown> => ({
    id,
    caption: existing(state.containers, container).caption,
    timestamp: graphTime(at_ms),
    permalink: urlOf(id),
    media_product_type: existing(state.containers, container).kind === 'reel' ? 'REELS' : 'FEED',
  });

  function read(node: string, edge: string | undefined, account: string): object {
    if (edge === 'content_publishing_limit') {
      const config = { quota_total: POSTS_A_DAY, quota_duration: 86_400 };
      return { data: [{ quota_usage: publishedToday(account), config }] };
    }
    if (edge === 'media') {
      const all = Object.entries(state.media).filter(([, each]) => each.account === account);
      const feed = all.filter(([, { container }]) => existing(state.containers, container).kind !== 'story');
      return { data: feed.toReversed().map(([id, each]) => shown(id, each)) };
    }
    const container = state.containers[node];
    if (!container) return shown(node, existing(state.media, node));
    return {
      id: node,
      status_code: stateOf(container),
      status: container.error ? `Error: ${container.error}` : '',
    };
  }

  async function graph(request: FakeRequest): Promise<object> {
    const [node = '', edge] = segmentsOf(request.path);
    const fields = await fieldsOf(request);
    const account = accountOf(request, fields);
    if (node === 'refresh_access_token') {
      const access_token = `IGA-${account}-${world.clock().toString(36)}`;
      return { access_token, token_type: 'bearer', expires_in: 60 * 86_400 };
    }
    if (edge !== undefined && node !== account)
      throw new GraphRefusal(10, 'Application does not have permission');
    if (request.method === 'GET') return read(node, edge, account);
    if (edge === 'media') return create(account, fields);
    if (edge === 'media_publish') return publish(account, fields);
    throw new GraphRefusal(100, `Unknown path components: /${edge}`);
  }

  return {
    name: 'instagram',
    state,
    handle: (request) => graphAnswer(() => graph(request)),
    posts: () =>
      Object.entries(state.media).map(([id, { account, container, at_ms }]) => {
        const { kind, caption, media, details } = existing(state.containers, container);
        const published_at = new Date(at_ms).toISOString();
        return {
          platform: 'instagram',
          account,
          id,
          kind,
          text: kind === 'story' ? '' : caption,
          media,
          url: urlOf(id),
          published_at,
          details,
        };
      }),
  };
}
