import * as v from 'valibot';
import type { StackTemplate } from './cloud-assembly.ts';
import { resolve, type Scope } from './intrinsics.ts';

/** One resource of the template whose properties have been read by a schema, references resolved. */
export interface ReadResource<Properties> {
  readonly logicalId: string;
  readonly properties: Properties;
}

/** A template with the scope in which its references are resolved. */
export interface Stack {
  readonly template: StackTemplate;
  readonly scope: Scope;
}

/**
 * All resources of the given types, their properties read by `schema`.
 *
 * @throws {Error} that names the resource and the property the local service cannot read
 */
export function resourcesOf<const Schema extends v.GenericSchema>(
  stack: Stack,
  types: readonly string[],
  schema: Schema,
): ReadResource<v.InferOutput<Schema>>[] {
  return Object.entries(stack.template.Resources)
    .filter(([, resource]) => types.includes(resource.Type))
    .map(([logicalId, resource]) => {
      const read = v.safeParse(schema, resolve(resource.Properties, stack.scope));
      if (read.success) return { logicalId, properties: read.output };
      const problems = read.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`);
      throw new Error(`cannot run ${resource.Type} ${logicalId} here: ${problems.join('; ')}`);
    });
}

/** The ARN of a resource. */
export function arnOf(stack: Stack, logicalId: string): string {
  return stack.scope.attribute(logicalId, 'Arn');
}

/** A count that a template may write as a number or as text. */
export const Count = v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.integer());
