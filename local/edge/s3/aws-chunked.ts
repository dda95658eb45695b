import { AwsError } from '../aws-error.ts';

/** A body's bytes without their framing; the trailers fill in as the stream ends. */
export interface Unframed {
  readonly bytes: AsyncIterable<Buffer>;
  readonly trailers: Map<string, string>;
}

const LINE_END = '\r\n';

/**
 * Takes `aws-chunked` framing off a stream: `<hex length>[;...]\r\n<bytes>\r\n`, a chunk of length zero,
 * then trailers such as `x-amz-checksum-crc32`, which the SDK can only know after the last byte.
 *
 * @throws {AwsError} IncompleteBody when the stream ends early or is not framed so
 */
export function awsChunked(source: AsyncIterable<Buffer>): Unframed {
  const trailers = new Map<string, string>();

  async function* bytes(): AsyncGenerator<Buffer> {
    const iterator = source[Symbol.asyncIterator]();
    let held: Buffer = Buffer.alloc(0);
    const more = async () => {
      const { value, done } = await iterator.next();
      if (done) throw new AwsError('IncompleteBody', 'The request body terminated unexpectedly');
      held = held.length === 0 ? value : Buffer.concat([held, value]);
    };
    const line = async (): Promise<string> => {
      while (!held.includes(LINE_END)) await more();
      const end = held.indexOf(LINE_END);
      const text = held.subarray(0, end).toString('latin1');
      held = held.subarray(end + LINE_END.length);
      return text;
    };

    for (;;) {
      const left = { bytes: Number.parseInt(await line(), 16) };
      if (Number.isNaN(left.bytes))
        throw new AwsError('IncompleteBody', 'The request body is not aws-chunked');
      if (left.bytes === 0) break;
      while (left.bytes > 0) {
        if (held.length === 0) await more();
        const part = held.subarray(0, left.bytes);
        held = held.subarray(part.length);
        left.bytes -= part.length;
        yield part;
      }
      await line();
    }
    for (let trailer = await line(); trailer !== ''; trailer = await line()) {
      const colon = trailer.indexOf(':');
      trailers.set(trailer.slice(0, colon).trim().toLowerCase(), trailer.slice(colon + 1).trim());
    }
  }

  return { bytes: bytes(), trailers };
}
