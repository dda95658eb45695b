import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { CreatePostRequest, UpdatePostRequest } from '../../functions/posts/post-request.ts';
import { openApiDocument } from '../../functions/reference/openapi-document.ts';
import { OPERATIONS } from '../../functions/reference/operations.ts';
import { STATUS_OF_CODE } from '../../functions/shared/request-error.ts';

const PROJECT = join(import.meta.dirname, '../..');
const checkedIn = readFileSync(join(PROJECT, 'openapi.json'), 'utf8');
const document = JSON.parse(checkedIn);

describe('openapi.json', () => {
  it('is what the code says now; if not, run npm run openapi', () => {
    expect(checkedIn).toBe(`${JSON.stringify(openApiDocument(OPERATIONS), undefined, 2)}\n`);
  });

  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();

    expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('describes every operation there is', async () => {
    const sources = globSync('functions/*/*.ts', { cwd: PROJECT }).filter((path) =>
      /export const \w+Operation\b/.test(readFileSync(join(PROJECT, path), 'utf8')),
    );
    const modules = await Promise.all(sources.map((path) => import(join(PROJECT, path))));
    const named = modules.flatMap((exported) =>
      Object.entries(exported).flatMap(([name, value]) => (name.endsWith('Operation') ? [value] : [])),
    );

    expect(named.length).toBeGreaterThan(8);
    expect(new Set(OPERATIONS)).toEqual(new Set(named));
  });

  it('leaves no reference open and no schema unused', () => {
    const references = new Set(
      [...checkedIn.matchAll(/"\$ref": "#\/components\/([^"]+)"/g)].map(([, to]) => to),
    );
    const { securitySchemes: _, ...components } = document.components;
    const defined = Object.entries<object>(components).flatMap(([kind, members]) =>
      Object.keys(members).map((name) => `${kind}/${name}`),
    );
    // One error schema stands for each status, whether or not an operation of today has it.
    const spare = defined.filter((name) => !references.has(name) && !name.startsWith('schemas/Error'));

    expect([...references].filter((name) => !defined.includes(name ?? ''))).toEqual([]);
    expect(spare).toEqual([]);
  });

  it('states the limits of the interface', () => {
    const { CreatePostRequest: create, TargetOptions: options } = document.components.schemas;

    expect(create.properties.caption).toMatchObject({ minLength: 1, maxLength: 5000 });
    expect(create.properties.channels).toMatchObject({ minItems: 1, maxItems: 25 });
    expect(create.properties.media).toMatchObject({ maxItems: 10 });
    expect(create.properties.scheduled_for).toMatchObject({ format: 'date-time' });
    expect(options.properties).toMatchObject({
      tags: { maxItems: 50, items: { maxLength: 100 } },
      collaborators: { maxItems: 3, items: { maxLength: 60 } },
      image_alt_texts: { maxItems: 10, items: { maxLength: 1000 } },
      video_title: { maxLength: 255 },
    });
    expect(document.paths['/posts'].get.parameters).toContainEqual(
      expect.objectContaining({
        name: 'limit',
        schema: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
      }),
    );
  });

  it('gives every error code exactly one place', () => {
    const places = Object.entries<{ properties: { error: { properties: { code: { enum: string[] } } } } }>(
      document.components.schemas,
    ).flatMap(([name, schema]) =>
      name.startsWith('Error') && name !== 'Error502' ? schema.properties.error.properties.code.enum : [],
    );

    expect(places.sort()).toEqual(Object.keys(STATUS_OF_CODE).sort());
  });

  it('shows examples that the service would take', () => {
    for (const schema of [CreatePostRequest, UpdatePostRequest]) {
      const [example] = v.getExamples(schema);
      expect(v.safeParse(schema, example).success).toBe(true);
    }
  });
});
