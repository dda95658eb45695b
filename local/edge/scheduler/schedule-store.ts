import { stateDatabase } from '../state-database.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS schedules (
    group_name TEXT NOT NULL, name TEXT NOT NULL, definition TEXT NOT NULL, client_token TEXT NOT NULL,
    created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, fires_at INTEGER, due_at INTEGER NOT NULL,
    PRIMARY KEY (group_name, name)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS by_time ON schedules (fires_at);`;

/** A schedule as it is kept; times in milliseconds since 1970. */
export interface Schedule {
  readonly group: string;
  readonly name: string;
  /** The body of its CreateSchedule call, as JSON. */
  readonly definition: string;
  readonly clientToken: string;
  readonly createdAt: number;
  readonly modifiedAt: number;
  /** The time in its expression. */
  readonly dueAt: number;
  /** When it will really fire; undefined once it has. */
  readonly firesAt: number | undefined;
}

/** All schedules, on disk. */
export interface ScheduleStore {
  find(group: string, name: string): Schedule | undefined;
  put(schedule: Schedule): void;
  delete(group: string, name: string): void;
  /** What should have fired by then, oldest first. */
  due(nowMs: number): readonly Schedule[];
  list(group: string | undefined, namePrefix: string): readonly Schedule[];
  close(): void;
}

/** A schedule store in the state directory. */
export function scheduleStore(stateDirectory: string): ScheduleStore {
  const database = stateDatabase(stateDirectory, 'scheduler.sqlite', SCHEMA);
  const find = database.prepare('SELECT * FROM schedules WHERE group_name = ? AND name = ?');
  const put = database.prepare('INSERT OR REPLACE INTO schedules VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM schedules WHERE group_name = ? AND name = ?');
  const due = database.prepare('SELECT * FROM schedules WHERE fires_at <= ? ORDER BY fires_at LIMIT 1000');
  const list = database.prepare(
    'SELECT * FROM schedules WHERE group_name = coalesce(?1, group_name) AND substr(name, 1, length(?2)) = ?2 ORDER BY 1, 2',
  );

  return {
    find: (group, name) => find.all(group, name).map(scheduleOf)[0],
    put: ({ group, name, definition, clientToken, createdAt, modifiedAt, firesAt, dueAt }) =>
      void put.run(group, name, definition, clientToken, createdAt, modifiedAt, firesAt ?? null, dueAt),
    delete: (group, name) => void remove.run(group, name),
    due: (nowMs) => due.all(nowMs).map(scheduleOf),
    list: (group, namePrefix) => list.all(group ?? null, namePrefix).map(scheduleOf),
    close: () => database.close(),
  };
}

function scheduleOf(row: Record<string, unknown>): Schedule {
  return {
    group: String(row.group_name),
    name: String(row.name),
    definition: String(row.definition),
    clientToken: String(row.client_token),
    createdAt: Number(row.created_at),
    modifiedAt: Number(row.modified_at),
    dueAt: Number(row.due_at),
    firesAt: row.fires_at === null ? undefined : Number(row.fires_at),
  };
}
