import * as v from 'valibot';
import type { PolicyStatement, RoleModel } from '../service-model.ts';
import { arnOf, resourcesOf, type Stack } from './stack.ts';

const Texts = v.pipe(
  v.union([v.string(), v.array(v.string())]),
  v.transform((value) => (Array.isArray(value) ? value : [value])),
);

const Statement = v.strictObject({
  Sid: v.optional(v.string()),
  Effect: v.picklist(['Allow', 'Deny']),
  Action: Texts,
  Resource: Texts,
  Condition: v.optional(
    v.record(v.string(), v.record(v.string(), v.union([v.string(), v.array(v.string())]))),
  ),
});

const Document = v.object({ Statement: v.array(Statement) });

const Role = v.object({
  ManagedPolicyArns: v.optional(
    v.array(v.pipe(v.string(), v.regex(/\/(AWSLambdaBasicExecutionRole|AWSXRayDaemonWriteAccess)$/))),
  ),
  Policies: v.optional(v.array(v.object({ PolicyDocument: Document })), []),
});

const Policy = v.object({ PolicyDocument: Document, Roles: v.optional(v.array(v.string()), []) });

/**
 * The roles, each with all that is attached to it. Managed policies are known by name: those for logs and
 * traces, which go elsewhere here. Any other is an error, as it would leave calls refused that AWS allows.
 */
export function readRoles(stack: Stack): RoleModel[] {
  const policies = resourcesOf(stack, ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'], Policy);
  return resourcesOf(stack, ['AWS::IAM::Role'], Role).map(({ logicalId, properties }) => {
    const attached = policies.filter((policy) =>
      policy.properties.Roles.includes(stack.scope.ref(logicalId)),
    );
    const documents = [...properties.Policies, ...attached.map((policy) => policy.properties)];
    const statements = documents.flatMap((policy) => policy.PolicyDocument.Statement);
    return { logicalId, arn: arnOf(stack, logicalId), statements: statements.map(withoutSid) };
  });
}

function withoutSid({ Sid: _, ...statement }: v.InferOutput<typeof Statement>): PolicyStatement {
  return statement;
}
