import * as v from 'valibot';
import { type FetchMessage, ProcessMessage } from '../media/media-messages.ts';
import { DueMessage } from '../posts/due.ts';
import type { Queue } from '../shared/queues/queue.ts';
import type { Row } from '../shared/table/keys.ts';
import { PublishMessage } from './target.ts';

/** The queues of all work that rows can wait for. */
export interface WorkQueues {
  readonly dueQueue: Queue<DueMessage>;
  readonly publishQueue: Queue<PublishMessage>;
  readonly fetchQueue: Queue<FetchMessage>;
  readonly processQueue: Queue<ProcessMessage>;
}

/** Who is to be told of a row, by its sort key; the first that fits. */
const SENDERS: readonly (readonly [kind: RegExp, send: (row: Row, queues: WorkQueues) => Promise<void>])[] = [
  [/^POST#[^#]+#/, (row, { publishQueue }) => publishQueue.send({ body: v.parse(PublishMessage, row) })],
  [
    /^POST#/,
    (row, { dueQueue }) => dueQueue.send({ body: v.parse(DueMessage, { ...row, post_id: row.id }) }),
  ],
  [
    /^MEDIA#/,
    (row, { fetchQueue, processQueue }) => {
      const body = v.parse(ProcessMessage, { ...row, media_id: row.id });
      return row.status === 'arriving' ? fetchQueue.send({ body }) : processQueue.send({ body });
    },
  ],
  [
    /^UPLOAD#/,
    (row, { fetchQueue }) =>
      fetchQueue.send({ body: { workspace_id: String(row.workspace_id), upload_id: String(row.id) } }),
  ],
];

/** Sends the message that has a row's work taken up; only the row knows whether there is any. */
export async function sendFor(row: Row, queues: WorkQueues): Promise<void> {
  const sender = SENDERS.find(([kind]) => kind.test(String(row.sk)));
  if (!sender) throw new Error(`nobody works on rows like ${String(row.sk).split('#')[0]}`);
  await sender[1](row, queues);
}
