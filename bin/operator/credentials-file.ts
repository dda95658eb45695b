import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { ConnectChannelRequest } from '../../functions/channels/connect-channel.ts';

/** The path of a JSON file with a platform's tokens, read. What is in it is never repeated. */
export const credentialsFile = v.pipe(
  v.string(),
  v.rawTransform(({ dataset: { value: path }, addIssue, NEVER }) => {
    const read = v.safeParse(v.nonOptional(ConnectChannelRequest.entries.credentials), contentOf(path));
    if (read.success) return read.output;
    addIssue({
      message: `must be a readable file that holds one JSON object of the platform's tokens, got ${path}`,
    });
    return NEVER;
  }),
);

/** Undefined for what cannot be read; the reason could quote a token. */
function contentOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
