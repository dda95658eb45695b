import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { validated } from '../../functions/shared/http/validated.ts';
import { RequestError } from '../../functions/shared/request-error.ts';
import { strictObject } from '../../functions/shared/strict-object.ts';

const Body = strictObject({
  caption: v.string(),
  count: v.optional(v.pipe(v.number(), v.maxValue(3))),
  publish: v.optional(v.boolean()),
  kind: v.optional(v.picklist(['image', 'video'])),
  status: v.optional(v.picklist(['draft'], 'must be a status')),
  only: v.optional(v.literal('true')),
  channels: v.optional(v.array(strictObject({ id: v.pipe(v.string(), v.uuid()) }))),
  media: v.optional(v.union([strictObject({ id: v.string() }), strictObject({ url: v.string() })])),
  options: v.optional(v.pipe(v.string(), v.regex(/^\d$/, 'must be one digit'))),
  settings: v.optional(strictObject({ loud: v.optional(v.boolean()) })),
  size: v.optional(v.pipe(v.number(), v.integer())),
});

function refusal(value: unknown): RequestError {
  try {
    validated(Body, value, 'body');
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('validated', () => {
  it('returns what the schema makes of a value', () => {
    expect(validated(v.object({ a: v.pipe(v.string(), v.trim()) }), { a: ' x ', b: 1 }, 'query')).toEqual({
      a: 'x',
    });
  });

  it.each([
    ['a missing field', {}, 'body.caption is required'],
    ['an unknown field', { caption: '', captoin: '' }, 'body.captoin is not a known field; remove it'],
    [
      'an unknown field further down',
      { caption: '', channels: [{ id: '0199a0e0-0000-7000-8000-000000000000', x: 1 }] },
      'body.channels.0.x is not a known field; remove it',
    ],
    ['a number for a string', { caption: 5 }, 'body.caption must be a string'],
    ['null for a string', { caption: null }, 'body.caption must be a string'],
    ['a string for a number', { caption: '', count: '3' }, 'body.count must be a number'],
    ['a string for a boolean', { caption: '', publish: 'true' }, 'body.publish must be true or false'],
    ['an object for an array', { caption: '', channels: {} }, 'body.channels must be an array'],
    ['an array for an object', { caption: '', channels: [[]] }, 'body.channels.0 must be an object'],
    [
      'an array for an object that needs no field',
      { caption: '', settings: [] },
      'body.settings must be an object',
    ],
    ['an array of fields', [{ caption: '' }], 'body must be an object'],
    ['a fraction', { caption: '', size: 1.5 }, 'body.size must be a whole number'],
    ['a value outside a list', { caption: '', kind: 'audio' }, 'body.kind must be one of "image", "video"'],
    ['a value other than the one', { caption: '', only: 'false' }, 'body.only must be "true"'],
    ['what the schema has own words for', { caption: '', status: 'x' }, 'body.status must be a status'],
    ['a form with own words', { caption: '', options: 'x' }, 'body.options must be one digit'],
    [
      'a form without words',
      { caption: '', channels: [{ id: 'no uuid' }] },
      'body.channels.0.id is not valid',
    ],
    ['a number over its limit', { caption: '', count: 4 }, 'body.count must be <=3'],
    ['none of several forms', { caption: '', media: 5 }, 'body.media must be an object'],
    ['no object at all', 'text', 'body must be an object'],
    ['null', null, 'body must be an object'],
  ])('says what is wrong with %s', (_, value, message) => {
    const error = refusal(value);

    expect(error.code).toBe('invalid_request');
    expect(error.message).toBe(message);
  });

  it('lists the problems with their paths, but no more than 20', () => {
    const channels = Array.from({ length: 30 }, () => ({}));

    const { details } = refusal({ caption: 1, channels });

    expect(details?.issues).toHaveLength(20);
    expect(details?.issues).toContainEqual({ path: 'body.channels.3.id', message: 'is required' });
  });

  it('lists every unknown field, in every object', () => {
    const { details } = refusal({ caption: '', a: 1, b: 2, __proto: 3, channels: [{ id: 'x', c: 1, d: 2 }] });

    expect(details?.issues).toEqual([
      { path: 'body.channels.0.id', message: 'is not valid' },
      { path: 'body.channels.0.c', message: 'is not a known field; remove it' },
      { path: 'body.channels.0.d', message: 'is not a known field; remove it' },
      { path: 'body.a', message: 'is not a known field; remove it' },
      { path: 'body.b', message: 'is not a known field; remove it' },
      { path: 'body.__proto', message: 'is not a known field; remove it' },
    ]);
  });

  it('does not send a long name back', () => {
    const { message } = refusal({ caption: '', ['x'.repeat(4_000_000)]: 1 });

    expect(message).toBe(`body.${'x'.repeat(60)}… is not a known field; remove it`);
  });

  it.each([
    { caption: '', kind: 'SECRET' },
    { caption: ['SECRET'] },
    { caption: '', channels: [{ id: 'SECRET' }] },
    { caption: '', media: 'SECRET' },
    { caption: '', count: 'SECRET' },
    'SECRET',
  ])('never repeats what it was given: %j', (value) => {
    expect(JSON.stringify(refusal(value).envelope)).not.toContain('SECRET');
  });
});
