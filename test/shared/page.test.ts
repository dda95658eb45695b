import * as v from 'valibot';
import { expect, it } from 'vitest';
import { Limit } from '../../functions/shared/lists/page.ts';

it.each([
  ['1', 1],
  ['100', 100],
  ['007', 7],
  [undefined, 25],
  ['', 25],
  ['0', 25],
  ['101', 25],
  ['-1', 25],
  ['1.5', 25],
  ['1e1', 25],
  [' 7', 25],
  ['ten', 25],
  ['99999999999999999999', 25],
])('reads the limit %j as %i', (text, limit) => {
  expect(v.parse(Limit, text)).toBe(limit);
});
