import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { loggable } from '../../functions/shared/loggable.ts';
import { logger } from '../../functions/shared/telemetry.ts';

function failureOf(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('did not fail');
}

describe('loggable', () => {
  it('keeps name, text, place and cause', () => {
    const error = new TypeError('no table', { cause: new Error('no network') });

    expect(loggable(error)).toMatchObject({
      name: 'TypeError',
      message: 'no table',
      cause: { message: 'no network' },
    });
    expect(loggable(error).stack).toContain('loggable.test.ts');
  });

  it('drops attributes: a row that refused a write is a payload', () => {
    const error = Object.assign(new Error('refused'), { Item: { caption: { S: 'SECRET' } } });

    expect(JSON.stringify(loggable(error))).not.toContain('SECRET');
  });

  it('says of input that does not fit its schema only where', () => {
    const schema = v.object({ post: v.object({ caption: v.number() }), id: v.string() });
    const error = failureOf(() => v.parse(schema, { post: { caption: 'SECRET' }, id: ['SECRET'] }));

    expect(loggable(error).message).toBe('does not fit its schema at post.caption, id');
    expect(JSON.stringify(loggable(error))).not.toContain('SECRET');
  });

  it('does not quote a text that could not be parsed', () => {
    const error = failureOf(() => JSON.parse('SECRET'));

    expect(JSON.stringify(loggable(error))).not.toContain('SECRET');
  });

  it('is how the logger writes every error, wherever it lies', () => {
    const written = vi
      .spyOn(logger['console' as keyof typeof logger] as unknown as Console, 'error')
      .mockReturnValue();
    const error = failureOf(() => v.parse(v.number(), 'SECRET'));

    logger.error('failed', { error, deeper: { cause: error } });

    expect(written.mock.calls.join()).toContain('does not fit its schema');
    expect(written.mock.calls.join()).not.toContain('SECRET');
  });
});
