import * as v from 'valibot';
import type { FunctionModel } from '../service-model.ts';
import type { StackAssembly } from './cloud-assembly.ts';
import { arnOf, Count, resourcesOf, type Stack } from './stack.ts';

const FunctionProperties = v.object({
  Code: v.object({ S3Key: v.string() }),
  Description: v.optional(v.string()),
  Handler: v.string(),
  Role: v.string(),
  Environment: v.optional(v.object({ Variables: v.record(v.string(), v.string()) })),
  Timeout: v.optional(Count, 3),
  MemorySize: v.optional(Count, 128),
});

/** The functions with the folders of their shipped bundles. */
export function readFunctions(stack: Stack, assembly: StackAssembly): FunctionModel[] {
  return resourcesOf(stack, ['AWS::Lambda::Function'], FunctionProperties).map(
    ({ logicalId, properties }) => ({
      logicalId,
      name: properties.Description ?? logicalId,
      bundleDirectory: assembly.assetDirectory(properties.Code.S3Key),
      handler: properties.Handler,
      environment: properties.Environment?.Variables ?? {},
      timeoutSeconds: properties.Timeout,
      memoryMegabytes: properties.MemorySize,
      roleId: ownerOf(stack, 'AWS::IAM::Role', properties.Role),
    }),
  );
}

/**
 * The logical id of the resource of this type with this ARN or name.
 *
 * @throws {Error} when it stands outside the stack
 */
export function ownerOf(stack: Stack, type: string, arnOrName: string): string {
  const found = Object.entries(stack.template.Resources).find(
    ([logicalId, resource]) =>
      resource.Type === type &&
      (stack.scope.ref(logicalId) === arnOrName || arnOf(stack, logicalId) === arnOrName),
  );
  if (!found) throw new Error(`the template names ${arnOrName}, which is no ${type} of this stack`);
  return found[0];
}
