import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import type { ServiceTable } from '../../functions/shared/table/service-table.ts';
import { tableUnderTest } from '../table-under-test.ts';
import { breachesOf } from './simulation/oracle.ts';
import { untilQuiet } from './simulation/seeds.ts';
import { simulatedService } from './simulation/simulated-service.ts';

const engine = tableUnderTest();

/** Does everything on both tables, and notes where they differ. */
function compared(memory: ServiceTable, differences: string[]): ServiceTable {
  const compare = async <T>(call: string, of: (table: ServiceTable) => Promise<T>): Promise<T> => {
    const [expected, actual] = [await of(engine.table), await of(memory)];
    if (!isDeepStrictEqual(plain(expected), plain(actual))) {
      differences.push(`${call}: ${JSON.stringify([plain(expected), plain(actual)])}`);
    }
    return actual;
  };
  return {
    get: (keys) => compare('get', (table) => table.get(keys)),
    query: (input) => compare('query', (table) => table.query(input)),
    commit: (writes) => compare('commit', (table) => table.commit(writes)),
    update: (input) => compare('update', (table) => table.update(input)),
  };
}

/** Rows in any order, without what DynamoDB leaves out; index entries carry their keys alone. */
function plain(result: unknown): unknown {
  if (result instanceof Map) return [...result].map(([key, row]) => [key, plainRow(row)]).sort();
  const { rows, row, current, last: _, ...rest } = result as Record<string, unknown> & { rows?: object[] };
  const named = rows?.map(({ pk, sk }: { pk?: string; sk?: string }) => `${pk}|${sk}`).sort();
  return { ...rest, rows: named, row: plainRow(row), current: plainRow(current) };
}

const plainRow = (row: unknown): unknown =>
  row && JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(row).sort())));

it.each([1, 2])(
  'behaves as a DynamoDB engine does, in history %i',
  async (seed) => {
    const differences: string[] = [];
    const service = simulatedService(seed, {
      table: (memory) => compared(memory, differences),
      faults: ({ process }) =>
        process !== 'api' && service.world.random() < 0.05 ? 'crash-after' : undefined,
      platform: (world) => ({ answers: () => (world.random() < 0.5 ? 'ok' : '500 after creating') }),
      receiver: (world) => ({ statuses: () => (world.random() < 0.5 ? 200 : 500) }),
    });
    const workspace = service.workspace(['meta_facebook', 'custom_webhook', 'custom_webhook']);
    for (const Item of service.table.all()) await engine.table.commit([{ Put: { Item } }]);
    for (const inMs of [121_000, 121_000, 300_000]) void service.create(workspace, { inMs });
    const takenBack = async () => {
      const reply = await service.create(workspace, { inMs: 200_000 });
      const { id } = JSON.parse(reply?.body ?? '{}');
      await service.unschedule(workspace.id, id);
      await service.reschedule(workspace.id, id, 150_000);
    };
    void takenBack();
    await service.world.runUntil(service.world.now() + 400_000);
    // An endpoint that fails half of its attempts may be tried for all the 76 hours.
    await untilQuiet(service, 80 * 3_600_000);

    expect(differences).toEqual([]);
    expect(breachesOf(service)).toEqual([]);
  },
  30_000,
);
