import type { Item } from './expression.ts';
import type { SimulatedService } from './simulated-service.ts';
import { isPost, isTarget, OPEN } from './watch-rows.ts';

/** Something that went out, as its receiver saw it. */
interface SentOut {
  readonly target: string;
  readonly atMs: number;
}

/**
 * What must be true of a service that has gone quiet; every breach is one sentence. A target that may have
 * gone out without our knowing says so to its owner, which is all that can be done.
 */
export function breachesOf(
  { table, watch, world, platform, receiver }: SimulatedService,
  { clocksOffMs = 0 } = {},
): string[] {
  const breaches = [...watch.breaches];
  const rows = [...table.all()];
  const posts = new Map(rows.filter(isPost).map((post) => [post.id, post]));
  const publications = Map.groupBy(platform.publications, ({ target }) => target);
  const deliveries = Map.groupBy(receiver.received, ({ target }) => target);

  for (const { sk, wake_at } of rows) {
    const isForgotten = wake_at !== undefined && Date.parse(String(wake_at)) < world.now() - 120_000;
    if (isForgotten) breaches.push(`${sk} has been due since ${wake_at}`);
  }
  for (const [target, sent] of publications) {
    if (sent.length > 1) breaches.push(`target ${target} went out ${sent.length} times`);
  }
  for (const [target, sent] of deliveries) {
    const kinds = new Set(sent.map(({ deliveryId, bodyHash }) => `${deliveryId} ${bodyHash}`));
    if (kinds.size > 1) breaches.push(`the deliveries of target ${target} differ`);
  }
  for (const target of rows.filter(isTarget)) {
    const taken = (deliveries.get(String(target.id)) ?? []).filter(({ status }) => status === 200);
    const sent = [...(publications.get(String(target.id)) ?? []), ...taken];
    breaches.push(...breachesOfTarget(target, posts.get(target.post_id), { sent, clocksOffMs }));
  }
  const counted = rows.filter(({ sk }) => /^USAGE#\d{4}-/.test(String(sk)));
  const used = counted.reduce((sum, row) => sum + Number(row.used), 0);
  if (used !== watch.queued()) breaches.push(`${watch.queued()} posts were queued, but ${used} are counted`);
  return breaches;
}

function breachesOfTarget(
  target: Item,
  post: Item | undefined,
  { sent, clocksOffMs }: { sent: readonly SentOut[]; clocksOffMs: number },
): string[] {
  const breaches: string[] = [];
  const name = `target ${target.id} (${target.status}: ${target.error_message})`;
  const isWaiting = post?.status === 'queued' || post?.status === 'draft';
  // An endpoint that took a delivery whose answer we never saw, and then no other, is told of by its attempts.
  const isAdmitted =
    target.status === 'posted' || /may have published|given up after/.test(String(target.error_message));
  if (target.status === 'posted' && sent.length === 0) breaches.push(`${name} never went out`);
  if (sent.length > 0 && !isAdmitted) breaches.push(`${name} went out, and nobody is told`);
  if (OPEN.includes(target.status) && !isWaiting) breaches.push(`${name} never ended`);
  const dueMs = Date.parse(String(post?.scheduled_for ?? post?.queued_at ?? post?.created_at));
  for (const { atMs } of sent)
    if (atMs < dueMs - clocksOffMs) breaches.push(`${name} went out ${dueMs - atMs} ms early`);
  return breaches;
}
