import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import * as v from 'valibot';
import { afterAll } from 'vitest';
import { noBundles } from '../../lib/constructs/bundles.ts';
import { ServiceStack } from '../../lib/service-stack.ts';
import { STAGES } from '../../lib/stages.ts';

const Resource = v.object({
  Type: v.string(),
  Properties: v.optional(v.record(v.string(), v.any()), {}),
  DeletionPolicy: v.optional(v.string()),
  UpdateReplacePolicy: v.optional(v.string()),
});

/** A resource of a synthesized template, with the id it has there. */
export type Resource = v.InferOutput<typeof Resource> & { readonly id: string };

/** Where the apps of a test file leave what they synthesize; CDK itself would never clean up. */
const outputs = mkdtempSync(join(tmpdir(), 'synthesized-'));
afterAll(() => rmSync(outputs, { recursive: true, force: true }));

/** An app without CDK's own validation of templates, which takes longer than all else; every synthesis runs it. */
export const quickApp = (): App =>
  new App({
    context: { ...CURRENTLY_RECOMMENDED_FLAGS },
    outdir: mkdtempSync(join(outputs, 'app-')),
    builtinCloudFormationValidation: false,
  });

/** A stage's template, synthesized without bundling: all its resources. */
export function resourcesOf(stageName: 'dev' | 'production'): readonly Resource[] {
  const stage = STAGES[stageName];
  if (!stage) throw new Error(`no stage ${stageName}`);
  const stack = new ServiceStack(quickApp(), 'Service', { stage, bundles: noBundles });
  const { Resources } = v.parse(
    v.object({ Resources: v.record(v.string(), Resource) }),
    Template.fromStack(stack).toJSON(),
  );
  return Object.entries(Resources).map(([id, resource]) => ({ id, ...resource }));
}

/** The resources of one CloudFormation type. */
export const ofType = (resources: readonly Resource[], type: string): readonly Resource[] =>
  resources.filter((resource) => resource.Type === type);

/** The id of the resource that a `Ref` or an `Fn::GetAtt` points to. */
export function idIn(reference: unknown): string {
  const parsed = v.parse(
    v.union([v.object({ Ref: v.string() }), v.object({ 'Fn::GetAtt': v.tuple([v.string(), v.string()]) })]),
    reference,
  );
  return 'Ref' in parsed ? parsed.Ref : parsed['Fn::GetAtt'][0];
}

/** The resource with this id. */
export function withId(resources: readonly Resource[], id: string): Resource {
  const found = resources.find((resource) => resource.id === id);
  if (!found) throw new Error(`the template has no ${id}`);
  return found;
}

/** An id without the hash that CDK ends it with: `PostsGetPostFunction`. */
export const nameOf = (id: string): string => id.replace(/[0-9A-F]{8}$/, '');
