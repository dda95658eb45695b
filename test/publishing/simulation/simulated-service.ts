import { createHash } from 'node:crypto';
import type { Platform } from '../../../functions/channels/platform.ts';
import { createPost } from '../../../functions/posts/create-post.ts';
import { deletePost } from '../../../functions/posts/delete-post.ts';
import { dispatch } from '../../../functions/posts/dispatch.ts';
import type { DueMessage } from '../../../functions/posts/due.ts';
import { postStore } from '../../../functions/posts/post-store.ts';
import type { TargetOptions } from '../../../functions/posts/target-options.ts';
import { updatePost } from '../../../functions/posts/update-post.ts';
import { publishTarget } from '../../../functions/publishing/publish-target.ts';
import type { Publisher } from '../../../functions/publishing/publisher.ts';
import { startPost } from '../../../functions/publishing/start-post.ts';
import { sweep } from '../../../functions/publishing/sweep.ts';
import type { PublishMessage } from '../../../functions/publishing/target.ts';
import { targetStore } from '../../../functions/publishing/target-store.ts';
import { isoAt, MINUTE_MS, SECOND_MS } from '../../../functions/shared/clock.ts';
import type { HttpReply } from '../../../functions/shared/http/http-handler.ts';
import { keys } from '../../../functions/shared/table/keys.ts';
import type { ServiceTable } from '../../../functions/shared/table/service-table.ts';
import { fakePlatform, type PlatformOptions } from './fake-platform.ts';
import { fakeReceiver, type ReceiverOptions } from './fake-receiver.ts';
import { memoryTable } from './memory-table.ts';
import { type Ended, type FaultPlane, type Process, run } from './process.ts';
import { type QueueHabits, type SimulatedQueue, simulatedQueue } from './simulated-queue.ts';
import { type SchedulerHabits, simulatedScheduler } from './simulated-scheduler.ts';
import { watchRows } from './watch-rows.ts';
import { world as newWorld, type World } from './world.ts';

/** How a simulated service is set up. */
export interface ServiceOptions {
  /** How the social platforms answer. @default well */
  readonly platform?: (world: World) => PlatformOptions;
  /** How customers' endpoints answer. @default well */
  readonly receiver?: (world: World) => ReceiverOptions;
  readonly faults?: FaultPlane;
  readonly dueQueue?: Partial<QueueHabits>;
  readonly publishQueue?: Partial<QueueHabits>;
  readonly scheduler?: SchedulerHabits;
  /** Draws how far a process's clock is off. @default 0 */
  readonly skewMs?: () => number;
  /** Draws how long a call takes, each way. @default 1 to 15 ms */
  readonly latencyMs?: (world: World) => number;
  /** Publishers to be tried out, in the place of the ones above. */
  readonly publishers?: (process: Process, world: World) => Partial<Record<Platform, Publisher>>;
  /** What the sealed credentials of every channel hold. */
  readonly credentials?: object;
  /** Put in front of the table in memory. @default nothing */
  readonly table?: (memory: ServiceTable) => ServiceTable;
}

const TIMEOUT_MS = {
  'start-post': 30 * SECOND_MS,
  'publish-target': 900 * SECOND_MS,
  sweep: 55 * SECOND_MS,
  api: 30 * SECOND_MS,
};
export type ProcessName = keyof typeof TIMEOUT_MS;

export type SimulatedService = ReturnType<typeof simulatedService>;

/** Posts here have no media. */
const IDLE = { send: async () => {}, sendAll: async () => {} };

/** The use cases of posts and publishing as they are, over a table, queues, schedules and a clock that are not. */
export function simulatedService(seed: number, options: ServiceOptions) {
  const world = newWorld(seed);
  const watch = watchRows(world.now);
  const memory = memoryTable(watch);
  const platform = fakePlatform(world, options.platform?.(world) ?? {});
  const receiver = fakeReceiver(world, options.receiver?.(world) ?? {});
  const lateness: number[] = [];
  const logged: string[] = [];

  const runAs = (name: ProcessName, work: (process: Process) => Promise<unknown>): Promise<Ended> =>
    run(
      world,
      {
        name,
        faults: options.faults,
        skewMs: options.skewMs?.() ?? 0,
        latencyMs: options.latencyMs && (() => options.latencyMs?.(world) ?? 0),
        timeoutMs: TIMEOUT_MS[name],
        failed: (error) => logged.push(`${name}: ${error.stack}`),
      },
      work,
    );
  const table = options.table?.(memory) ?? memory;
  const tableFor = (process: Process): ServiceTable => {
    return {
      get: (wanted) => process.call('table.get', () => table.get(wanted)),
      query: (input) => process.call('table.query', () => table.query(input)),
      commit: (writes) => process.call('table.commit', () => table.commit(writes)),
      update: (input) => process.call('table.update', () => table.update(input)),
    };
  };

  const dueQueue: SimulatedQueue<DueMessage> = simulatedQueue(
    world,
    'due-queue',
    { visibilityMs: 180 * SECOND_MS, ...options.dueQueue },
    (message) =>
      runAs('start-post', (process) => {
        const table = tableFor(process);
        return startPost(message, {
          ...{ table, posts: postStore(table), clock: process.clock, sleep: process.sleep },
          ...{ dueQueue: dueQueue.for(process), publishQueue: publishQueue.for(process) },
          ...{ fetchQueue: noQueue, processQueue: noQueue },
        });
      }),
  );
  const publishQueue: SimulatedQueue<PublishMessage> = simulatedQueue(
    world,
    'publish-queue',
    { visibilityMs: 5400 * SECOND_MS, ...options.publishQueue },
    (message) =>
      runAs('publish-target', (process) => {
        const table = tableFor(process);
        return publishTarget(message, process.clock() + TIMEOUT_MS['publish-target'], {
          ...{ table, targets: targetStore(table), clock: process.clock, sleep: process.sleep },
          random: world.random,
          publishQueue: publishQueue.for(process),
          publishers: {
            meta_facebook: platform.publisher(process),
            custom_webhook: receiver.publisher(process, table),
            ...options.publishers?.(process, world),
          },
          vault: {
            open: () =>
              process.call(
                'vault.open',
                () => options.credentials ?? { secret: 'a-secret-of-32-characters-at-least' },
              ),
            seal: () => Promise.reject(new Error('nothing is sealed here')),
          },
          events: {
            stepEnded: () => {},
            stepBroke: (_, error) => logged.push(String(error)),
            sendBegan: (_, lateMs) => lateness.push(lateMs),
          },
        });
      }),
  );
  const scheduler = simulatedScheduler(world, options.scheduler ?? {}, (message) =>
    dueQueue.put(message as DueMessage),
  );

  const sweepOnce = () =>
    runAs('sweep', (process) =>
      sweep(process.clock() + 45 * SECOND_MS, {
        ...{ table: tableFor(process), clock: process.clock, fetchQueue: IDLE, processQueue: IDLE },
        ...{ dueQueue: dueQueue.for(process), publishQueue: publishQueue.for(process) },
        ...{ fetchQueue: noQueue, processQueue: noQueue },
      }),
    );
  const sweepEveryMinute = () => {
    // A sweep that would find nothing is left out, for speed.
    if (memory.isDue(world.now() + MINUTE_MS)) void sweepOnce();
    world.after(MINUTE_MS, sweepEveryMinute);
  };
  world.after(world.between(0, MINUTE_MS), sweepEveryMinute);

  const api = (
    work: (needs: ReturnType<typeof writeNeeds>) => Promise<HttpReply>,
  ): Promise<HttpReply | undefined> =>
    new Promise((resolve) => {
      void runAs('api', async (process) => resolve(await work(writeNeeds(process)))).then(() =>
        resolve(undefined),
      );
    });
  const writeNeeds = (process: Process) => {
    const table = tableFor(process);
    return {
      ...{ table, clock: process.clock, newId: () => world.uuid() },
      dispatch: dispatch({ dueQueue: dueQueue.for(process), scheduler: scheduler.for(process) }),
      ...{
        reviewUrl: 'https://review.test',
        fetchQueue: noQueue,
        urls: { getUrl: noMedia, ownHosts: [], clock: () => 0, newUploadId: () => '' },
        upgradeUrl: 'https://upgrade.test',
      },
    };
  };
  const callOf = (workspaceId: string) => ({
    caller: { workspaceId, scopes: [], cursorKey: '', rateHeaders: {} },
    query: {},
    request: {
      workspaceId,
      hashedKey: world.uuid(),
      fingerprint: createHash('sha256').update(world.uuid()).digest('hex'),
    },
  });

  return {
    ...{
      platform,
      receiver,
      world,
      watch,
      table: memory,
      dueQueue,
      publishQueue,
      scheduler,
      lateness,
      logged,
      sweepOnce,
      runAs,
      tableFor,
    },
    /** Creates a workspace with channels; their ids. */
    workspace(platforms: readonly Platform[], settings: object = {}): { id: string; channels: string[] } {
      const id = world.uuid();
      const limits = {
        posts_per_day: 1e6,
        pending_schedules: 1e6,
        requests_per_minute: 1e6,
        max_file_bytes: 1,
        ai_budget_cents: 1,
      };
      const created_at = isoAt(world.now());
      memory.put({
        ...keys.workspace(id),
        id,
        name: 'W',
        plan: 'test',
        limits,
        created_at,
        cursor_key: '',
        ...settings,
      });
      const channels = platforms.map((platform) => {
        const channel = world.uuid();
        const row = {
          id: channel,
          workspace_id: id,
          platform,
          display_name: 'C',
          avatar_url: null,
          status: 'active',
        };
        const more = {
          business_id: world.uuid(),
          business_name: 'B',
          credentials: new Uint8Array(1),
          created_at,
        };
        memory.put({
          ...keys.channel(id, channel),
          ...row,
          ...more,
          webhook_url: 'https://receiver.test/hook',
        });
        return channel;
      });
      return { id, channels };
    },
    /** The client's answer; undefined when the request died on its way. */
    create: (
      of: { id: string; channels: readonly string[] },
      when: { inMs: number } | 'now',
      caption = 'Hello',
      more: { media?: { id: string }[]; options?: TargetOptions } = {},
    ) =>
      api((needs) => {
        const timing =
          when === 'now' ? { publish_now: true } : { scheduled_for: Math.ceil(world.now() + when.inMs) };
        const channels = of.channels.map((id) => ({ id, options: more.options }));
        const body = { caption, channels, media: more.media, ...timing };
        return createPost({ ...callOf(of.id), params: {}, body }, needs);
      }),
    unschedule: (workspaceId: string, postId: string) =>
      api((needs) => deletePost({ ...callOf(workspaceId), params: { id: postId }, body: undefined }, needs)),
    reschedule: (workspaceId: string, postId: string, inMs: number) =>
      api((needs) =>
        updatePost(
          {
            ...callOf(workspaceId),
            params: { id: postId },
            body: { scheduled_for: Math.ceil(world.now() + inMs) },
          },
          needs,
        ),
      ),
  };
}

/** Posts of the simulation have no media of which anything is still to happen. */
const noMedia = () => Promise.reject(new Error('no media is simulated'));
const noQueue = {
  send: noMedia,
  sendAll: (messages: readonly unknown[]) => (messages.length > 0 ? noMedia() : Promise.resolve()),
};
