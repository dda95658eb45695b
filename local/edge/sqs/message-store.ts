import { createHash, randomUUID } from 'node:crypto';
import type { QueueModel } from '../../service-model.ts';
import { stateDatabase, transaction } from '../state-database.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS messages (
    id TEXT PRIMARY KEY, queue TEXT NOT NULL, body TEXT NOT NULL, sent_at INTEGER NOT NULL,
    visible_at INTEGER NOT NULL, receives INTEGER NOT NULL DEFAULT 0, first_received_at INTEGER, receipt TEXT,
    moved_from TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS by_visibility ON messages (queue, visible_at);
  CREATE INDEX IF NOT EXISTS by_receipt ON messages (receipt);`;

/** A message as a queue holds it; times in milliseconds since 1970. */
export interface Message {
  readonly id: string;
  readonly body: string;
  readonly sentAt: number;
  readonly receives: number;
  readonly firstReceivedAt: number;
  readonly receipt: string;
}

/** How many messages a queue holds: ready, in flight, and still delayed. */
export interface Depth {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

/** The messages of all queues, on disk. */
export interface MessageStore {
  send(queue: string, body: string, visibleAt: number): string;
  /** Takes up to `count` visible messages and hides them; those received too often move to the dead-letter queue. */
  receive(queue: QueueModel, count: number, hiddenUntil: number): readonly Message[];
  delete(queue: string, receipt: string): void;
  /** Whether a message with this receipt was there to be hidden until then. */
  hideUntil(queue: string, receipt: string, until: number): boolean;
  /** When the queue's next message is due; undefined when it is empty. */
  nextVisibleAt(queue: string): number | undefined;
  depth(queue: string): Depth;
  purge(queue: string): void;
  /** Moves everything to `target`, or back to where each message came from; returns how many moved. */
  move(queue: string, target: string | undefined): number;
  close(): void;
}

/** A message store in the state directory. Queues are named by ARN. */
export function messageStore(stateDirectory: string, now: () => number): MessageStore {
  const database = stateDatabase(stateDirectory, 'sqs.sqlite', SCHEMA);
  const insert = database.prepare(
    'INSERT INTO messages (id, queue, body, sent_at, visible_at) VALUES (?, ?, ?, ?, ?)',
  );
  const bury = database.prepare(
    `UPDATE messages SET queue = ?, moved_from = queue, visible_at = ?, receipt = NULL
     WHERE queue = ? AND visible_at <= ? AND receives >= ?`,
  );
  const visible = database.prepare(
    'SELECT id FROM messages WHERE queue = ? AND visible_at <= ? ORDER BY visible_at LIMIT ?',
  );
  const take = database.prepare(
    `UPDATE messages SET receives = receives + 1, first_received_at = coalesce(first_received_at, ?),
     visible_at = ?, receipt = ? WHERE id = ? RETURNING *`,
  );
  const remove = database.prepare('DELETE FROM messages WHERE receipt = ? AND queue = ?');
  const hide = database.prepare(
    'UPDATE messages SET visible_at = ? WHERE receipt = ? AND queue = ? AND visible_at > ?',
  );
  const next = database.prepare('SELECT min(visible_at) AS at FROM messages WHERE queue = ?');
  const count = database.prepare(
    `SELECT count(*) FILTER (WHERE visible_at <= ?) AS visible,
      count(*) FILTER (WHERE visible_at > ? AND receipt IS NOT NULL) AS inFlight,
      count(*) FILTER (WHERE visible_at > ? AND receipt IS NULL) AS delayed FROM messages WHERE queue = ?`,
  );
  const move = database.prepare(
    `UPDATE messages SET queue = coalesce(?, moved_from), moved_from = NULL, receives = 0, visible_at = ?, receipt = NULL
     WHERE queue = ? AND coalesce(?, moved_from) IS NOT NULL AND visible_at <= ?`,
  );

  return {
    send(queue, body, visibleAt) {
      const id = randomUUID();
      insert.run(id, queue, body, now(), visibleAt);
      return id;
    },
    receive: (queue, wanted, hiddenUntil) =>
      transaction(database, () => {
        const at = now();
        const { deadLetter, arn } = queue;
        if (deadLetter !== undefined) bury.run(deadLetter.arn, at, arn, at, deadLetter.maxReceiveCount);
        return visible
          .all(arn, at, wanted)
          .flatMap(({ id }) => take.all(at, hiddenUntil, randomUUID(), id ?? ''))
          .map(messageOf);
      }),
    delete: (queue, receipt) => void remove.run(receipt, queue),
    hideUntil: (queue, receipt, until) => hide.run(until, receipt, queue, now()).changes === 1,
    nextVisibleAt: (queue) => {
      const at = next.get(queue)?.at;
      return typeof at === 'number' ? at : undefined;
    },
    depth: (queue) => {
      const row = count.get(now(), now(), now(), queue);
      return {
        visible: Number(row?.visible),
        inFlight: Number(row?.inFlight),
        delayed: Number(row?.delayed),
      };
    },
    purge: (queue) => void database.prepare('DELETE FROM messages WHERE queue = ?').run(queue),
    move: (queue, target) => Number(move.run(target ?? null, now(), queue, target ?? null, now()).changes),
    close: () => database.close(),
  };
}

/** MD5 in hexadecimal, with which SQS lets a client check a body. */
export function md5Hex(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

function messageOf(row: Record<string, unknown>): Message {
  return {
    id: String(row.id),
    body: String(row.body),
    sentAt: Number(row.sent_at),
    receives: Number(row.receives),
    firstReceivedAt: Number(row.first_received_at),
    receipt: String(row.receipt),
  };
}
