import { describe, expect, it, vi } from 'vitest';
import { handler } from '../../functions/reference/route-not-found.handler.ts';
import { logger } from '../../functions/shared/telemetry.ts';
import { answerOf } from '../http-event.ts';

vi.spyOn(logger, 'info').mockReturnValue();

/** The path here is all of it. */
const asked = (method: string, rawPath: string) =>
  answerOf(async (event, context) => handler({ ...event, rawPath }, context), { method });

describe('a request no route is made for', () => {
  it.each([
    ['PUT', '/api/v1/posts', 'GET, POST'],
    ['DELETE', '/api/v1/posts', 'GET, POST'],
    ['POST', '/api/v1/posts/0199', 'DELETE, GET, PATCH'],
    ['HEAD', '/api/v1/channels', 'GET'],
    ['OPTIONS', '/api/v1/drafts', 'POST'],
    ['PUT', '/api/v1/media/upload-url', 'GET, POST'],
    ['POST', '/api/v1/docs', 'GET'],
  ])('by its method, is told what its path takes: %s %s', async (method, path, allowed) => {
    const { status, headers, json } = await asked(method, path);

    expect(status).toBe(404);
    expect(String(headers.allow).split(', ').sort().join(', ')).toBe(allowed);
    expect(json.error).toEqual({
      code: 'not_found',
      message: `there is no ${method} ${path}; this path takes ${headers.allow}; GET /api/v1/openapi.json lists all endpoints`,
    });
  });

  it.each([
    ['/api/v1', '/api/v1; '],
    ['/api/v1/', '/api/v1/; '],
    ['/api/v1x', '/api/v1x; '],
    ['/api/v1/me', '/api/v1/me; '],
    ['/api/v1/Posts', '/api/v1/Posts; '],
    ['/api/v1/posts/', '/api/v1/posts/; is it /api/v1/posts?; '],
    ['/api/v1//posts//0199', '/api/v1//posts//0199; is it /api/v1/posts/0199?; '],
    ['/posts', '/posts; is it /api/v1/posts?; '],
    [`/api/v1/${'x'.repeat(500)}`, `/api/v1/${'x'.repeat(192)}; `],
  ])('by its path, is told its path: %s', async (path, told) => {
    const { status, headers, json } = await asked('GET', path);

    expect(status).toBe(404);
    expect(headers).not.toHaveProperty('allow');
    expect(json.error).toEqual({
      code: 'not_found',
      message: `there is no GET ${told}GET /api/v1/openapi.json lists all endpoints`,
    });
  });
});
