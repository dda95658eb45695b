import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A function's log: one file of JSON lines. */
export interface FunctionLog {
  readonly path: string;
  write(chunk: Buffer | string): void;
  close(): Promise<void>;
}

/** Opens the log of a function, `posts/create-post`, as `<directory>/posts/create-post.log`. */
export function openFunctionLog(directory: string, functionName: string): FunctionLog {
  const path = join(directory, `${functionName}.log`);
  mkdirSync(dirname(path), { recursive: true });
  const stream = createWriteStream(path, { flags: 'a' });
  // A full disk must not take the service down with it.
  stream.on('error', (error) => console.error(`cannot write ${path}: ${error.message}`));
  return {
    path,
    write: (chunk) => void stream.write(chunk),
    close: () => new Promise((resolve) => stream.end(resolve)),
  };
}
