import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { idIn, ofType, resourcesOf, withId } from './synthesized.ts';

const FUNCTIONS = join(import.meta.dirname, '../../functions');
const resources = resourcesOf('production');
const functions = ofType(resources, 'AWS::Lambda::Function');

/** Routes with the entry that answers each: `GET /api/v1/posts/{id}` -> `posts/get-post`. */
const routes = ofType(resources, 'AWS::ApiGatewayV2::Route').map(({ Properties }) => {
  const [, [prefix, integrationId]] = Properties.Target['Fn::Join'];
  const integration = withId(resources, idIn(integrationId));
  const lambda = withId(resources, idIn(integration.Properties.IntegrationUri));
  return [`${prefix} ${Properties.RouteKey}`, lambda.Properties.Description] as const;
});

describe('routes', () => {
  it('lead each to its own function, and all unknown ones to route-not-found', () => {
    expect(Object.fromEntries(routes)).toMatchObject({
      'integrations/ $default': 'reference/route-not-found',
      'integrations/ GET /api/v1/posts/{id}': 'posts/get-post',
    });
    expect(new Set(routes.map(([, entry]) => entry)).size).toBe(routes.length);
  });

  it('are those the operations name', async () => {
    const sources = globSync('*/*.ts', { cwd: FUNCTIONS }).filter((path) =>
      /export const \w+Operation\b/.test(readFileSync(join(FUNCTIONS, path), 'utf8')),
    );
    const named: string[] = [];
    for (const source of sources) {
      const exported = await import(join(FUNCTIONS, source));
      for (const [name, value] of Object.entries(exported)) {
        if (!name.endsWith('Operation')) continue;
        const { method, path } = v.parse(v.object({ method: v.string(), path: v.string() }), value);
        named.push(`integrations/ ${method} /api/v1${path}`);
      }
    }
    const described = new Set(named);
    const undescribed = routes.map(([key]) => key).filter((key) => !described.has(key));

    // What the reference endpoints say is no operation of the API.
    expect(undescribed.filter((key) => !UNDESCRIBED.includes(key))).toEqual([]);
    expect(named.filter((key) => !routes.some(([route]) => route === key))).toEqual([]);
  });
});

const UNDESCRIBED = ['$default', 'GET /api/v1/openapi.json', 'GET /api/v1/docs'].map(
  (key) => `integrations/ ${key}`,
);

describe('functions', () => {
  const deployed = functions.map(({ Properties }) => [Properties.Description, Properties] as const);
  const written = globSync('*/*.handler.ts', { cwd: FUNCTIONS }).map((path) =>
    path.replace('.handler.ts', ''),
  );

  it('are deployed, all that are written', () => {
    expect(written.filter((entry) => !deployed.some(([name]) => name === entry))).toEqual([]);
  });

  it.each(deployed.filter(([entry]) => existsSync(join(FUNCTIONS, `${entry}.handler.ts`))))(
    '%s gets the environment its handler reads',
    async (entry, { Environment }) => {
      const feature = entry.split('/')[0];
      const source = readFileSync(join(FUNCTIONS, `${entry}.handler.ts`), 'utf8');
      const [, schemaName = ''] = /readEnv\((\w+)\)/.exec(source) ?? [];
      const [, from = ''] =
        new RegExp(`import \\{[^}]*\\b${schemaName}\\b[^}]*\\} from '(.+)'`).exec(source) ?? [];
      if (!schemaName) return;
      const { [schemaName]: schema } = await import(join(FUNCTIONS, feature, from));
      // Values that point to other resources stand for some text.
      const variables = Object.entries<unknown>(Environment.Variables).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : 'a reference',
      ]);

      const { entries } = schema;
      const ours = variables.filter(([name]) => !/^(POWERTOOLS_|NODE_OPTIONS$)/.test(String(name)));

      expect(v.safeParse(schema, Object.fromEntries(variables)).issues).toBeUndefined();
      expect(ours.filter(([name]) => !(String(name) in entries))).toEqual([]);
    },
  );
});
