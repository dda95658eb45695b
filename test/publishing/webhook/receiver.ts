import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

/** One request a receiver got, as it came. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A customer's endpoint on this machine, closed with the test. */
export async function receiver(answer: (response: ServerResponse, count: number) => void) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks) });
    answer(response, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the receiver has no port');
  return { url: `http://127.0.0.1:${bound.port}/hook`, received };
}

/** The parts of a multipart body, as Node's own parser sees them. */
export async function partsOf({ headers, body }: Received): Promise<[string, string | File][]> {
  const type = headers['content-type'] ?? '';
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  return [...form.entries()];
}

/** The file in the part of that number; throws when the part is something else. */
export function fileIn(parts: readonly [string, string | File][], index: number): File {
  const part = parts[index]?.[1];
  if (part instanceof File) return part;
  throw new Error(`part ${index} is not a file`);
}
