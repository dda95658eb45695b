import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formDigest, readForm } from '../../functions/media/form-file.ts';
import { RequestError } from '../../functions/shared/request-error.ts';
import { arbitraryForm } from '../system/arbitrary-form.ts';

it('reads any form to its file or to a refusal, however its bytes come', async () => {
  let read = 0;
  await fc.assert(
    fc.asyncProperty(
      arbitraryForm,
      fc.integer({ min: 1, max: 5000 }),
      async ({ contentType, body }, size) => {
        const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
          Buffer.from(body.subarray(index * size, (index + 1) * size)),
        );
        const asOne = await outcomeOf(contentType, [Buffer.from(body)]);

        expect(await outcomeOf(contentType, chunks)).toBe(asOne);
        expect(asOne).not.toContain('needle');
        if (/^[0-9a-f]{64}$/.test(asOne)) read += 1;
      },
    ),
    { numRuns: 300 },
  );
  expect(read).toBeGreaterThan(50);
});

/** The digest of what was read, or the message of a refusal. */
async function outcomeOf(contentType: string, chunks: readonly Buffer[]): Promise<string> {
  try {
    const form = Readable.from(chunks, { objectMode: false });
    const { identity } = await readForm(contentType, form, ({ stream }) => buffer(stream));
    return formDigest(identity);
  } catch (error) {
    if (error instanceof RequestError && error.code === 'invalid_request') return error.message;
    throw error;
  }
}
