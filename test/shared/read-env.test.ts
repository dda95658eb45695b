import * as v from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EnvText } from '../../functions/shared/env.ts';
import { readEnv } from '../../functions/shared/read-env.ts';

afterEach(() => vi.unstubAllEnvs());

const Env = v.object({ A_TABLE: EnvText, A_QUEUE_URL: EnvText, SWITCH: v.optional(v.literal('allowed')) });

describe('readEnv', () => {
  it('reads what its schema names and nothing else', () => {
    vi.stubEnv('A_TABLE', 'table');
    vi.stubEnv('A_QUEUE_URL', 'url');

    expect(readEnv(Env)).toEqual({ A_TABLE: 'table', A_QUEUE_URL: 'url' });
  });

  it('names every variable that is missing, empty or wrong, and shows no value', () => {
    vi.stubEnv('A_QUEUE_URL', '');
    vi.stubEnv('SWITCH', 'SECRET');

    expect(() => readEnv(Env)).toThrow(
      'the environment of this function is incomplete: A_TABLE is required; A_QUEUE_URL must not be empty; SWITCH must be "allowed"',
    );
  });
});
