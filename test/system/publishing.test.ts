import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { rowsOfPost } from '../../functions/posts/post-store.ts';
import type { ReceivedDelivery } from '../../local/inbox/delivery.ts';
import { channelOf, deliveriesOf, eventually } from './client.ts';
import { ownService } from './own-service.ts';

const own = ownService({ sweepIntervalSeconds: 2 });

/** The workers, and which of their calls carry a post from queued to posted. */
const WORKERS = ['publishing/start-post', 'publishing/publish-target'];

async function publish(caption: string): Promise<string> {
  const body = { caption, channels: [{ id: channelOf(own.service) }], publish_now: true };
  const created = await own.call('POST', '/posts', { body });
  expect(created.status).toBe(202);
  return created.body.id;
}

/**
 * Lets leases and waits of a post run out, as time does: those who held them are dead or done. The sweeper
 * then finds what is left to do.
 */
async function timePasses(postId: string): Promise<void> {
  const { table } = own.operator;
  const past = new Date(Date.now() - 1000).toISOString();
  const workspace = own.service.workspaces[0]?.id ?? '';
  for (const { pk, sk, wake_at, lease_until, next_attempt_at } of await rowsOfPost(
    table,
    workspace,
    postId,
  )) {
    if (wake_at === undefined) continue;
    const due = [
      lease_until && 'lease_until = :past',
      next_attempt_at && 'next_attempt_at = :past',
      'wake_at = :past',
    ];
    await table.update({
      Key: { pk, sk },
      UpdateExpression: `SET ${due.filter(Boolean).join(', ')}`,
      ExpressionAttributeValues: { ':past': past },
    });
  }
}

const posted = (id: string, withinMs?: number) =>
  eventually(async () => {
    const { body } = await own.call('GET', `/posts/${id}`);
    return body.status === 'posted' ? body : undefined;
  }, withinMs);

/** Our signature is over the body alone, so equal signatures are equal bytes. */
const identity = ({ delivery_id, headers }: ReceivedDelivery) =>
  `${delivery_id} ${headers['x-service-signature']}`;

it('repeats a delivery with the same id and bytes until it is taken, and shows its attempts', async () => {
  await fetch(`${own.service.inbox_url}/behaviour`, {
    method: 'POST',
    body: JSON.stringify({ status: 500, times: 2, delay_ms: 0 }),
  });
  const id = await publish('taken at the third attempt');
  const waiting = await eventually(async () => {
    const { body } = await own.call('GET', `/posts/${id}`);
    return body.channels[0].status === 'awaiting_platform' ? body.channels[0] : undefined;
  });
  expect(waiting.error_message).toContain('answered 500');

  await eventually(async () => {
    const { body } = await own.call('GET', `/posts/${id}/attempts`);
    return body.data.length === 2 ? body : undefined;
  });
  await timePasses(id);
  const { channels } = await posted(id);
  const deliveries = await deliveriesOf(own.service, 'taken at the third attempt');
  const { body } = await own.call('GET', `/posts/${id}/attempts`);

  expect(channels[0]).toMatchObject({ status: 'posted', error_message: null });
  expect(channels[0].external_post_id).toBe(`inbox-${deliveries[0]?.delivery_id}`);
  expect(deliveries).toHaveLength(3);
  expect(new Set(deliveries.map(identity)).size).toBe(1);
  expect(deliveries.every(({ signature_valid }) => signature_valid)).toBe(true);
  expect(new Set(deliveries.map(({ headers }) => headers['x-service-timestamp'])).size).toBe(3);
  expect(body.data).toMatchObject([
    { n: 1, stage: 'send', result: 'retry', code: 'http_500', next_attempt_at: expect.any(String) },
    { n: 2, stage: 'send', result: 'retry', code: 'http_500', next_attempt_at: expect.any(String) },
    { n: 3, stage: 'send', result: 'posted', next_attempt_at: null },
  ]);
});

it('publishes a post whichever of its workers crashes, before or after whichever AWS call', async () => {
  const { edge } = own.service;
  edge.counts.reset();
  await posted(await publish('recorded'));
  const calls = edge.counts.report().calls.filter(({ principal }) => WORKERS.includes(principal));
  const posts = new Map<string, string>();
  const missed: string[] = [];

  const crash = async (rules: Parameters<typeof edge.faults.set>[0], name: string) => {
    edge.faults.set(rules);
    posts.set(name, await publish(name));
    const isHit = () => edge.faults.list().every(({ hits }) => hits > 0);
    for (let tries = 0; !isHit() && tries < 100; tries += 1) await sleep(50);
    if (!isHit()) missed.push(name);
    edge.faults.clear();
  };
  for (const [at, { principal, service, operation }] of calls.entries()) {
    const nth = calls
      .slice(0, at + 1)
      .filter((call) => call.principal === principal && call.operation === operation).length;
    for (const fault of ['crash-before', 'crash-after'] as const) {
      const rule = { principal, service: service as 'dynamodb', operation, nth, times: 1, fault };
      await crash([rule], `${fault} ${principal} ${operation} ${nth}`);
    }
  }
  // The sweeper comes upon what the crashes left behind, and crashes too.
  edge.faults.set(
    ['Query', 'UpdateItem', 'SendMessage'].flatMap((operation) =>
      (['crash-before', 'crash-after'] as const).map((fault) => ({
        principal: 'publishing/sweep',
        operation,
        times: 1,
        fault,
      })),
    ),
  );

  const isSwept = () => edge.faults.list().every(({ hits }) => hits === 1);
  // A sweep that crashes has put off for a minute what it had taken.
  for (let tries = 0; !isSwept() && tries < 30; tries += 1) {
    for (const id of posts.values()) await timePasses(id);
    await sleep(1000);
  }
  expect(edge.faults.list().map(({ hits }) => hits)).toEqual([1, 1, 1, 1, 1, 1]);
  for (const id of posts.values()) await timePasses(id);
  for (const [name, id] of posts) await posted(id, 30_000).catch(() => missed.push(`${name}: not posted`));
  for (const name of posts.keys()) {
    const deliveries = await deliveriesOf(own.service, name);
    if (deliveries.length === 0 || new Set(deliveries.map(identity)).size > 1)
      missed.push(`${name}: ${deliveries.length} deliveries`);
  }
  expect(missed).toEqual([]);
  expect(calls.map(({ operation }) => operation)).toContain('SendMessageBatch');
  expect(calls.filter(({ operation }) => operation === 'Decrypt')).toHaveLength(1);
}, 120_000);
