import { randomUUID } from 'node:crypto';
import { type Answer, eventually } from '../test/system/client.ts';
import { describedOperations } from '../test/system/contract.ts';
import { newDraft, SAMPLES } from '../test/system/sample-requests.ts';
import { type MeasuredService, onService } from './measured-service.ts';

/** The most calls a request that only reads, or only repeats, is meant to make, authentication included. */
const MOST_READING = 2;

/**
 * The most calls of a request that writes: authentication, reading, the commit; then what must be read once the
 * first rows are known, the file's bytes, and the message or schedule that follows the commit.
 */
const MOST_WRITING: Readonly<Record<string, number>> = {
  'POST /drafts': 3,
  'POST /posts': 3 + 1,
  'PATCH /posts/{id}': 4 + 1,
  'DELETE /posts/{id}': 3,
  'POST /media': 3 + 2 + 1,
  'POST /media/upload-url': 3,
  'POST /captions/tailor': 5,
};

interface Cost {
  readonly calls: number;
  readonly goal: number;
  readonly is_met: boolean;
  readonly read_units: number;
  readonly write_units: number;
  readonly operations: string;
}

/** What one request of each kind costs, as the AWS edge counts it. */
export const apiCosts = (): Promise<Readonly<Record<string, Cost>>> =>
  onService(async (measured) => {
    const { service, workspace, call } = measured;
    const costs: Record<string, Cost> = {};
    const costOf = (name: string, { headers }: Answer): void => {
      const { total, calls } = service.edge.counts.report(headers.get('x-request-id') ?? '');
      const goal = MOST_WRITING[name] ?? MOST_READING;
      costs[name] = {
        calls: total.calls,
        goal,
        is_met: total.calls <= goal,
        read_units: total.read_units,
        write_units: total.write_units,
        operations: calls.map(({ operation }) => operation).join(' '),
      };
    };

    for (let n = 0; n < 3; n += 1) await newDraft({ workspace, call });
    for (const [name] of describedOperations) {
      const [method = ''] = name.split(' ');
      const sample = await SAMPLES[name]?.({ workspace, call, edgeUrl: service.edge_url });
      if (!sample) continue;
      const idempotencyKey = randomUUID();
      const options = { idempotencyKey, body: sample.body };
      costOf(name, await call(method, sample.path, options));
      const isWrite =
        method !== 'GET' && name !== 'POST /media/upload-url' && name !== 'POST /captions/tailor';
      if (isWrite) costOf(`${name}, repeated`, await call(method, sample.path, options));
    }
    for (const [name, path] of Object.entries(await otherReads(measured))) {
      costOf(name, await call('GET', path));
    }
    return costs;
  });

/** Reads that cost something else than the sample of their operation, by what is read. */
async function otherReads({ workspace, call }: MeasuredService): Promise<Readonly<Record<string, string>>> {
  const { body: post } = await call('POST', '/posts', {
    body: { caption: 'x', channels: [{ id: workspace.channels.custom_webhook }], publish_now: true },
  });
  await eventually(async () => {
    const { body } = await call('GET', `/posts/${post.id}/attempts`);
    return body.data.length > 0 ? true : undefined;
  });
  return {
    'GET /posts/{id}/attempts, of a post that went out': `/posts/${post.id}/attempts`,
    'GET /media, all kinds': '/media',
    'GET /posts, by status': '/posts?status=draft',
    'GET /posts, by status and channel': `/posts?status=draft&channel_id=${workspace.channels.custom_webhook}`,
  };
}
