import type { Queue } from '../shared/queues/queue.ts';
import type { Scheduler } from '../shared/scheduler.ts';
import { type DueMessage, SCHEDULE_EARLY_MS } from './due.ts';
import type { PostRow } from './post.ts';

/** Sets going what the rows say. All of it only hastens: what is lost here the sweeper finds. */
export interface Dispatch {
  /** Brings a queued post out: now, or at its time. */
  queued(post: PostRow): Promise<void>;
  /** Takes the schedule of an unscheduled post away; if it fires all the same, it finds an older generation. */
  unscheduled(post: PostRow): Promise<void>;
}

const messageOf = ({ workspace_id, id, generation }: PostRow): DueMessage => ({
  workspace_id,
  post_id: id,
  generation,
});

/** A name of its own for each generation, so that an old schedule never stands in the way of a new one. */
const scheduleName = ({ id, generation }: PostRow) => `${id}-${generation}`;

/** Dispatch over the due queue and the schedules that feed it. */
export const dispatch = (needs: { dueQueue: Queue<DueMessage>; scheduler: Scheduler }): Dispatch => ({
  async queued(post) {
    if (post.scheduled_for === null) return needs.dueQueue.send({ body: messageOf(post) });
    const atMs = Date.parse(post.scheduled_for) - SCHEDULE_EARLY_MS;
    return needs.scheduler.schedule({ name: scheduleName(post), atMs, message: messageOf(post) });
  },
  async unscheduled(post) {
    if (post.scheduled_for !== null) await needs.scheduler.cancel(scheduleName(post));
  },
});
