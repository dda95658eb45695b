import { randomUUID } from 'node:crypto';
import type { Answer } from '../test/system/client.ts';
import { describedOperations } from '../test/system/contract.ts';
import { newDraft, SAMPLES } from '../test/system/sample-requests.ts';
import { onService } from './measured-service.ts';

/** The most calls a request is meant to make. */
const GOALS: Readonly<Record<string, number>> = {
  'GET /posts': 2,
  'GET /posts/{id}': 2,
  'GET /channels': 2,
  'GET /workspaces': 2,
  'POST /drafts': 3,
  'POST /drafts, repeated': 2,
};

interface Cost {
  readonly calls: number;
  readonly goal: number | undefined;
  readonly read_units: number;
  readonly write_units: number;
  readonly operations: string;
}

/** What one request of each kind costs, as the AWS edge counts it. */
export const apiCosts = (): Promise<Readonly<Record<string, Cost>>> =>
  onService(async ({ service, workspace, call }) => {
    const costs: Record<string, Cost> = {};
    const costOf = (name: string, { headers }: Answer): void => {
      const { total, calls } = service.edge.counts.report(headers.get('x-request-id') ?? '');
      costs[name] = {
        calls: total.calls,
        goal: GOALS[name],
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
    return costs;
  });
