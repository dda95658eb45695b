import { describe, expect, it } from 'vitest';
import {
  idempotentRequest,
  readIdempotencyKey,
} from '../../functions/shared/idempotency/idempotent-request.ts';

const request = {
  workspaceId: 'ws',
  key: 'key-0001',
  method: 'POST',
  path: '/posts',
  body: { a: 1, b: [1, 2] },
};
const fingerprint = (changed: Partial<typeof request> | { body: unknown }) =>
  idempotentRequest({ ...request, ...changed }).fingerprint;

describe('readIdempotencyKey', () => {
  it.each(['12345678', 'x'.repeat(200), '!"#$%&/()', '0199a0e0-0000-7000-8000-000000000000'])(
    'takes %s',
    (key) => {
      expect(readIdempotencyKey(key)).toBe(key);
    },
  );

  it('ignores white space around it, as HTTP does', () => {
    expect(readIdempotencyKey(' 12345678\t')).toBe('12345678');
  });

  it.each([undefined, '', '  '])('says that it is missing: %j', (header) => {
    expect(() => readIdempotencyKey(header)).toThrow(/Idempotency-Key is missing; send one/);
  });

  it.each(['1234567', 'x'.repeat(201), 'with blank', 'ümlaute-key', 'line\nbreak'])(
    'says how it must be: %j',
    (header) => {
      expect(() => readIdempotencyKey(header)).toThrow(/must be 8 to 200 visible ASCII characters/);
    },
  );
});

describe('idempotentRequest', () => {
  it('is the same for the same JSON in another order', () => {
    expect(fingerprint({ body: { b: [1, 2], a: 1.0 } })).toBe(fingerprint({}));
  });

  it.each([
    ['method', { method: 'PATCH' }],
    ['path', { path: '/drafts' }],
    ['value', { body: { a: 2, b: [1, 2] } }],
    ['type', { body: { a: '1', b: [1, 2] } }],
    ['order of an array', { body: { a: 1, b: [2, 1] } }],
    ['additional field', { body: { a: 1, b: [1, 2], c: null } }],
    ['absence of a body', { body: undefined }],
    ['body of null', { body: null }],
  ])('differs by %s', (_, changed) => {
    expect(fingerprint(changed)).not.toBe(fingerprint({}));
  });

  it('is the same for an id in either case', () => {
    expect(fingerprint({ path: '/posts/0199A0E0' })).toBe(fingerprint({ path: '/posts/0199a0e0' }));
  });

  it('does not run parts together', () => {
    expect(fingerprint({ method: 'POST', path: '/posts', body: undefined })).not.toBe(
      fingerprint({ method: 'POST\n', path: 'posts', body: undefined }),
    );
  });

  it('hides the key: what a client chose becomes no part of a row', () => {
    const { hashedKey } = idempotentRequest(request);

    expect(hashedKey).toMatch(/^[0-9a-f]{64}$/);
    expect(hashedKey).not.toBe(idempotentRequest({ ...request, key: 'key-0002' }).hashedKey);
  });
});
