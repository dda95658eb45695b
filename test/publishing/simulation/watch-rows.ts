import type { Item } from './expression.ts';
import type { MemoryTable } from './memory-table.ts';

/** What must hold after every single commit, whatever happens. Breaches are collected, not thrown. */
export interface RowWatch {
  readonly breaches: string[];
  /** How often a post went from nothing or draft to queued: what the day's quota must have counted. */
  queued(): number;
  /** Takes note of a row's change. */
  changed(before: Item | undefined, after: Item | undefined): void;
  /** Checks the relations between rows, once a commit is complete. */
  committed(table: MemoryTable): void;
}

export const isPost = (row: Item | undefined): row is Item => row?.channel_ids !== undefined;
export const isTarget = (row: Item | undefined): row is Item =>
  row?.post_id !== undefined && row.platform !== undefined;

/** Statuses of targets that have not ended. */
export const OPEN: readonly unknown[] = ['pending', 'posting', 'awaiting_platform'];

/** Where a post may go from a status; `undefined` is to be removed. */
const POST_MOVES: Readonly<Record<string, readonly unknown[]>> = {
  draft: ['draft', 'queued', undefined],
  queued: ['queued', 'draft', 'posting'],
  posting: ['posting', 'posted', 'partial', 'failed'],
  // A success that came after its target was given up is still recorded.
  failed: ['failed', 'partial', 'posted'],
  partial: ['partial', 'posted'],
  posted: ['posted'],
};

/** Watches the rows of posts, targets and counters as they change; `now` is the true time. */
export function watchRows(now: () => number = Date.now): RowWatch {
  const breaches: string[] = [];
  const touched = new Map<string, string>();
  const waiting = new Map<string, number>();
  let queued = 0;

  const changedPost = (before: Item | undefined, after: Item | undefined) => {
    const [from, to] = [before?.status, after?.status];
    const workspace = String((after ?? before)?.workspace_id);
    if (to === 'queued' && from !== 'queued') queued += 1;
    const change = Number(isWaiting(after)) - Number(isWaiting(before));
    waiting.set(workspace, (waiting.get(workspace) ?? 0) + change);
    if (from !== undefined && !POST_MOVES[String(from)]?.includes(to)) {
      breaches.push(`post ${before?.id} went from ${from} to ${to}`);
    }
    touched.set(String((after ?? before)?.id), workspace);
  };
  const changedTarget = (before: Item | undefined, after: Item | undefined) => {
    const name = `target ${(after ?? before)?.id}`;
    if (before?.status === 'posted') {
      if (after?.status !== 'posted') breaches.push(`${name} was posted and became ${after?.status}`);
      // A platform may tell a post's id only later; a known one stays.
      const isKnown = before.external_post_id !== null;
      if (isKnown && after?.external_post_id !== before.external_post_id) {
        breaches.push(`${name} changed its id`);
      }
    }
    if (before && after && Number(after.fence ?? 0) < Number(before.fence ?? 0)) {
      breaches.push(`the fence of ${name} went back`);
    }
    const worker = before?.fence === after?.fence;
    if (before?.stage === 'send' && after?.stage === 'prepare' && !worker) {
      breaches.push(`${name} went from a send in doubt back to prepare`);
    }
    touched.set(String((after ?? before)?.post_id), String((after ?? before)?.workspace_id));
  };

  return {
    breaches,
    queued: () => queued,
    changed(before, after) {
      if (isPost(before ?? after)) changedPost(before, after);
      else if (isTarget(before ?? after)) changedTarget(before, after);
    },
    committed(table) {
      for (const [id, workspace] of touched) {
        const { post, targets } = rowsOf(table, workspace, id);
        if (post && post.status !== 'draft' && post.status !== 'queued' && post.status !== derived(targets)) {
          breaches.push(`post ${id} is ${post.status}, its targets say ${derived(targets)}`);
        }
        if (post) breaches.push(...breachesOfLists(post, targets, now()));
        const counted = Number(table.row({ pk: `WS#${workspace}`, sk: 'USAGE#PENDING' })?.used ?? 0);
        if (counted !== (waiting.get(workspace) ?? 0)) {
          breaches.push(`${waiting.get(workspace)} posts wait for their time, ${counted} are counted`);
        }
      }
      touched.clear();
    },
  };
}

const isWaiting = (row: Item | undefined) => row?.status === 'queued' && row.scheduled_for !== null;

/**
 * Exactly what waits for its time is listed so, and its targets with it. What is late may be listed or not: it
 * is taken out of the list when somebody comes by.
 */
function breachesOfLists(post: Item, targets: readonly Item[], nowMs: number): string[] {
  const isLate = isWaiting(post) && Date.parse(String(post.scheduled_for)) <= nowMs;
  const isListed = post.scheduled_in !== undefined;
  return [
    ...(isLate || isListed === isWaiting(post)
      ? []
      : [`post ${post.id} is wrongly in the list of what waits`]),
    ...targets
      .filter(({ scheduled_in }) => (scheduled_in !== undefined) !== isListed)
      .map(({ id }) => `target ${id} is not in the lists its post is in`),
  ];
}

/** A post's row and those of its targets. */
export function rowsOf(table: MemoryTable, workspaceId: string, postId: string) {
  const rows = table.ofPost(workspaceId, postId);
  return { post: rows.find(isPost), targets: rows.filter(isTarget) };
}

/** What a post that has left the queue must be, by its targets. */
function derived(targets: readonly Item[]): string {
  if (targets.some(({ status }) => OPEN.includes(status))) return 'posting';
  const posted = targets.filter(({ status }) => status === 'posted').length;
  if (posted === targets.length) return 'posted';
  return posted > 0 ? 'partial' : 'failed';
}
