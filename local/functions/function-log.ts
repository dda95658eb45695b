import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A function's log: a file of JSON lines, and the one before it. */
export interface FunctionLog {
  readonly path: string;
  write(chunk: Buffer | string): void;
}

/** A log that has grown to this size becomes `<name>.1.log`, in place of the one before. */
const FULL_AT_BYTES = 20 * 1024 * 1024;

/** Opens the log of a function, `posts/create-post`, as `<directory>/posts/create-post.log`. */
export function openFunctionLog(directory: string, functionName: string): FunctionLog {
  const path = join(directory, `${functionName}.log`);
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, '');
  let sizeBytes = statSync(path).size;
  return {
    path,
    write: (chunk) => {
      if (sizeBytes > FULL_AT_BYTES) {
        renameSync(path, join(directory, `${functionName}.1.log`));
        sizeBytes = 0;
      }
      appendFileSync(path, chunk);
      sizeBytes += chunk.length;
    },
  };
}
