import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CreateMediaCall } from '../../functions/media/create-media.ts';
import type { GetUrl } from '../../functions/media/open-url.ts';
import { HOUR_MS } from '../../functions/shared/clock.ts';
import { keys } from '../../functions/shared/table/keys.ts';
import { type Boundary, boundariesOf, runCrashing, type Through } from '../crashing-calls.ts';
import { mediaService } from '../media/media-service.ts';
import { image } from '../media/samples.ts';
import { postService } from '../posts/post-service.ts';
import { memoryTable } from '../publishing/simulation/memory-table.ts';

/** Each scenario has a workspace of its own in it. */
const table = memoryTable({ changed: () => {}, committed: () => {} });
const file = await image('jpeg');

/** A request that can be sent again and again, and all that has come of it. */
interface Subject {
  readonly attempt: (
    through: Through,
  ) => Promise<{ status: number; text: string; headers?: object | undefined }>;
  readonly effects: () => Promise<object>;
}

const rowsIn = (partition: string) => {
  const rows = [...table.all()].filter(({ pk }) => pk === partition);
  return (sk: RegExp) => rows.filter((row) => sk.test(String(row.sk)));
};

const answers = (workspaceId: string) => rowsIn(keys.idempotency(workspaceId, '').pk)(/./).length;

async function post(timing: object): Promise<Subject> {
  const { workspaceId, channelIds, create } = await postService(table);
  const body = { caption: 'Hello', channels: channelIds.map((id) => ({ id })), ...timing };
  const key = randomUUID();
  return {
    attempt: async (through) => {
      const reply = await create(body, key, through);
      return { ...reply, text: reply.body };
    },
    effects: async () => {
      const rows = rowsIn(keys.workspace(workspaceId).pk);
      return {
        posts: rows(/^POST#[^#]+$/).length,
        targets: rows(/#TARGET#/).length,
        used: rows(/^USAGE#/).map(({ used }) => used),
        answers: answers(workspaceId),
      };
    },
  };
}

type MediaService = Awaited<ReturnType<typeof mediaService>>;
async function media(bodyFor: (service: MediaService) => Promise<CreateMediaCall['body']>): Promise<Subject> {
  const service = await mediaService(table, { getUrl: site });
  const body = await bodyFor(service);
  const key = randomUUID();
  return {
    attempt: (through) => service.create(body, key, through),
    effects: async () => {
      const rows = rowsIn(keys.workspace(service.workspaceId).pk);
      const stored = [...service.objects.stored.keys()];
      const uploads = rows(/^UPLOAD#/);
      const [row, ...others] = rows(/^MEDIA#/);
      return {
        others,
        isStored: stored.includes(String(row?.object_key)),
        registered: uploads.filter(({ media_id }) => media_id === row?.id).length,
        // What no row names would never be taken away.
        unknown: stored.filter((name) => !uploads.some(({ id }) => name.includes(String(id)))),
        answers: answers(service.workspaceId),
      };
    },
  };
}

const site: GetUrl = async () => {
  async function* body() {
    yield file;
  }
  return { outcome: 'answered', status: 200, headers: {}, rawHeaders: [], body: body(), discard: () => {} };
};

async function uploaded({ uploadUrl, objects }: MediaService) {
  const { key } = await uploadUrl({ filename: 'x.jpg', content_type: 'image/jpeg', size: file.length });
  objects.put(key, file);
  return { key };
}

const onePost = { posts: 1, targets: 1, answers: 1 };
const oneMedia = { others: [], isStored: true, registered: 1, unknown: [], answers: 1 };
const soon = () => ({ scheduled_for: Date.now() + HOUR_MS });
const SUBJECTS: readonly (readonly [name: string, make: () => Promise<Subject>, effects: object])[] = [
  ['a post at its time', () => post(soon()), { ...onePost, used: [1, 1] }],
  ['a post for now', () => post({ publish_now: true }), { ...onePost, used: [1] }],
  ['an upload', () => media(uploaded), oneMedia],
  ['a form', () => media(async () => ({ filename: null, declared: undefined, content: file })), oneMedia],
  ['a URL', () => media(async () => ({ url: 'https://files.example.com/x.jpg' })), oneMedia],
];

describe('a crash, a retry that crashes too, and a retry are one execution', () => {
  it.each(SUBJECTS)('of %s, wherever both crash', async (_name, make, effects) => {
    /** @returns whether the second attempt came as far as its crash. */
    async function crashTwice(first: Boundary, second: Boundary): Promise<boolean> {
      const where = JSON.stringify([first, second]);
      const subject = await make();

      const crashed = await runCrashing(first, subject.attempt);
      const again = await runCrashing(second, subject.attempt);
      const answered = await subject.attempt((port) => port);
      const repeated = await subject.attempt((port) => port);

      expect([where, crashed.ended, answered.status < 300]).toEqual([where, 'crashed', true]);
      expect([where, repeated.text === answered.text, repeated.headers]).toEqual([
        where,
        true,
        { 'idempotent-replayed': 'true' },
      ]);
      if (again.ended === 'done') expect([where, again.result.text]).toEqual([where, answered.text]);
      expect([where, await subject.effects()]).toEqual([where, effects]);
      return again.ended === 'crashed';
    }

    // Authentication comes before and does nothing but count.
    const undisturbed = await runCrashing(undefined, (await make()).attempt);
    const calls = undisturbed.ended === 'done' ? undisturbed.calls : 0;
    const boundaries = boundariesOf(calls);
    const pairs = await Promise.all(
      boundaries.map(async (first) => {
        let crashes = 0;
        for (const second of boundariesOf(calls + 1)) {
          if (!(await crashTwice(first, second))) break;
          crashes += 1;
        }
        return crashes;
      }),
    );

    expect(calls).toBeGreaterThanOrEqual(3);
    // A retry reads its answer at least; one whose forerunner did nothing crashes wherever that could have.
    expect(Math.min(...pairs)).toBeGreaterThanOrEqual(2);
    expect(pairs[0]).toBe(boundaries.length);
  });
});
