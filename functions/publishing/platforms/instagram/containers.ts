import * as v from 'valibot';
import { MINUTE_MS, SECOND_MS } from '../../../shared/clock.ts';
import type { Refused } from '../../publisher.ts';
import type { Fields } from '../call-body.ts';
import type { Waiting } from '../social-platform.ts';
import { graphOf, Id, type InstagramStep, type InstagramUrls } from './instagram-step.ts';

const Container = v.object({
  status_code: v.optional(v.string()),
  status: v.optional(v.string(), ''),
});

/** What a container is: an item or a post that nobody sees until it is published. */
export type ContainerState =
  | { readonly state: 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'EXPIRED' }
  | { readonly state: 'ERROR'; readonly said: string };

/** Waits between looks at a container, in seconds; the last one repeats. */
const LOOKS_SECONDS = [3, 5, 10, 20, 30, 60] as const;

/** How long a container may take; a reel of 15 minutes can need long. */
const GIVE_UP_MS = 60 * MINUTE_MS;

/** How often a container that failed is made anew. */
const MAX_REMAKES = 2;

/** Makes a container, once. */
export function container(
  step: InstagramStep,
  urls: InstagramUrls,
  { name, form }: { name: string; form: Fields },
): Promise<string> {
  return step.once(name, v.string(), async () => {
    const url = `${graphOf(step, urls)}/${step.credentials.ig_user_id}/media`;
    const { id } = await step.call(Id, { kind: 'prepare', method: 'POST', url, body: { form } });
    step.keep({ [`${name}_ms`]: step.job.clock() });
    return id;
  });
}

/** How a container stands. Some were seen to fail without a status code. */
export async function stateOf(step: InstagramStep, urls: InstagramUrls, id: string): Promise<ContainerState> {
  const { status_code, status } = await step.call(Container, {
    kind: 'probe',
    method: 'GET',
    url: `${graphOf(step, urls)}/${id}`,
    query: { fields: 'status_code,status' },
  });
  switch (status_code) {
    case 'IN_PROGRESS':
    case 'FINISHED':
    case 'PUBLISHED':
    case 'EXPIRED':
      return { state: status_code };
    default:
      return status_code === 'ERROR' || status.startsWith('Error')
        ? { state: 'ERROR', said: status }
        : { state: 'IN_PROGRESS' };
  }
}

/** Waits until containers can be published. One that failed is made anew, a few times. */
export async function finished(
  step: InstagramStep,
  urls: InstagramUrls,
  names: readonly string[],
): Promise<'ready' | Refused | Waiting> {
  for (const name of names) {
    const id = v.parse(v.string(), step.handle[name]);
    const container = await stateOf(step, urls, id);
    switch (container.state) {
      case 'FINISHED':
      case 'PUBLISHED':
        continue;
      case 'EXPIRED':
        return remake(step, name, 'the prepared post expired');
      case 'ERROR':
        return remake(step, name, container.said);
      case 'IN_PROGRESS':
        return inProgress(step, name);
    }
  }
  return 'ready';
}

function inProgress(step: InstagramStep, name: string): Refused | Waiting {
  const sinceMs = step.job.clock() - Number(step.handle[`${name}_ms`] ?? step.job.clock());
  if (sinceMs > GIVE_UP_MS) {
    const message =
      'Instagram did not finish processing this within an hour; nothing has gone out. Publish it again, perhaps with a shorter video.';
    return { outcome: 'refused', code: 'processing_timeout', message };
  }
  const looks = Number(step.handle.container_looks ?? 0);
  step.keep({ container_looks: looks + 1 });
  const seconds = LOOKS_SECONDS[Math.min(looks, LOOKS_SECONDS.length - 1)] ?? 60;
  const message = 'Instagram is processing the media';
  return { outcome: 'waiting', code: 'in_progress', message, forMs: seconds * SECOND_MS };
}

function remake(step: InstagramStep, name: string, said: string): Refused | Waiting {
  const remakes = Number(step.handle.remakes ?? 0) + 1;
  if (remakes > MAX_REMAKES) {
    const message = `Instagram could not use the media (it said: ${said.slice(0, 200)}); nothing has gone out. Check the files against Instagram's formats and publish this again.`;
    return { outcome: 'refused', code: 'container_error', message };
  }
  step.keep({ remakes, [name]: undefined, container_looks: 0 });
  const message = 'Instagram could not use the media; we prepare it anew';
  return { outcome: 'waiting', code: 'container_error', message, forMs: 10 * SECOND_MS };
}
