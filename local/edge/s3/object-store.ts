import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stateDatabase, transaction } from '../state-database.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS objects (
    bucket TEXT NOT NULL, key TEXT NOT NULL, blob TEXT NOT NULL, size INTEGER NOT NULL, etag TEXT NOT NULL,
    modified_at INTEGER NOT NULL, headers TEXT NOT NULL, PRIMARY KEY (bucket, key)
  ) STRICT, WITHOUT ROWID;`;

/** An object without its bytes. */
export interface StoredObject {
  readonly bucket: string;
  readonly key: string;
  /** The file with its bytes, which never changes. */
  readonly file: string;
  readonly sizeBytes: number;
  /** With its quotes, as S3 writes it. */
  readonly etag: string;
  readonly modifiedAt: number;
  /** Type, encoding, metadata and checksum, as they go back to a reader. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The parts of an object that its writer decides. */
export type NewObject = Omit<StoredObject, 'file' | 'modifiedAt'>;

/** Objects on disk: an index, and one unchanging file for each. */
export interface ObjectStore {
  find(bucket: string, key: string): StoredObject | undefined;
  /** A name for bytes on their way in; they become an object by `commit`, or nothing after a crash. */
  newFile(): string;
  /** A file with another object's bytes, at no cost. */
  linkTo(object: StoredObject): string;
  /** Makes the file the object, if `allowed` still agrees at that moment; otherwise removes it. */
  commit(
    object: NewObject,
    file: string,
    allowed: (before: StoredObject | undefined) => boolean,
  ): StoredObject | undefined;
  discard(file: string): void;
  delete(bucket: string, key: string): void;
  /** Up to `limit` objects after a key, in the order of their keys' bytes. */
  list(bucket: string, range: { prefix: string; after: string; limit: number }): readonly StoredObject[];
  close(): void;
}

/** An object store in a directory of its own. */
export function objectStore(directory: string, now: () => number): ObjectStore {
  const blobs = join(directory, 'blobs');
  mkdirSync(blobs, { recursive: true });
  const database = stateDatabase(directory, 'index.sqlite', SCHEMA);
  const select = database.prepare('SELECT * FROM objects WHERE bucket = ? AND key = ?');
  const insert = database.prepare('INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM objects WHERE bucket = ? AND key = ?');
  const range = database.prepare(
    'SELECT * FROM objects WHERE bucket = ?1 AND key > ?2 AND key >= ?3 AND substr(key, 1, length(?3)) = ?3 ORDER BY key LIMIT ?4',
  );
  const objectOf = (row: Record<string, unknown>): StoredObject => ({
    bucket: String(row.bucket),
    key: String(row.key),
    file: join(blobs, String(row.blob)),
    sizeBytes: Number(row.size),
    etag: String(row.etag),
    modifiedAt: Number(row.modified_at),
    headers: JSON.parse(String(row.headers)),
  });
  const find = (bucket: string, key: string) => select.all(bucket, key).map(objectOf)[0];
  const discard = (file: string) => rmSync(file, { force: true });

  // Bytes that never became an object, or whose object is gone: a crash came in between.
  const known = new Set(
    database
      .prepare('SELECT blob FROM objects')
      .all()
      .map(({ blob }) => String(blob)),
  );
  for (const blob of readdirSync(blobs)) if (!known.has(blob)) discard(join(blobs, blob));

  return {
    find,
    discard,
    newFile: () => join(blobs, randomUUID()),
    linkTo: ({ file }) => {
      const copy = join(blobs, randomUUID());
      linkSync(file, copy);
      return copy;
    },
    commit(object, file, allowed) {
      const { bucket, key, sizeBytes, etag, headers } = object;
      const before = find(bucket, key);
      if (!allowed(before)) {
        discard(file);
        return undefined;
      }
      const modifiedAt = now();
      const blob = file.slice(blobs.length + 1);
      transaction(database, () =>
        insert.run(bucket, key, blob, sizeBytes, etag, modifiedAt, JSON.stringify(headers)),
      );
      if (before !== undefined) discard(before.file);
      return { ...object, file, modifiedAt };
    },
    delete(bucket, key) {
      const before = find(bucket, key);
      remove.run(bucket, key);
      if (before !== undefined) discard(before.file);
    },
    list: (bucket, { prefix, after, limit }) => range.all(bucket, after, prefix, limit).map(objectOf),
    close: () => database.close(),
  };
}
