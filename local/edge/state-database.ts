import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * A SQLite file of the state directory. What was committed survives the end of this process however it
 * comes; only a machine losing power may cost the last writes (`synchronous = NORMAL`).
 */
export function stateDatabase(directory: string, name: string, schema: string): DatabaseSync {
  mkdirSync(directory, { recursive: true });
  const database = new DatabaseSync(join(directory, name));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${schema}`);
  return database;
}

/** Runs the work in one transaction: all of it happens, or none. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
