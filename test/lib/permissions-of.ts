import { idIn, nameOf, ofType, type Resource } from './synthesized.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const many = <T>(one: T | readonly T[]): readonly T[] => (Array.isArray(one) ? one : [one as T]);

/** All that a role may do, one line for each action on each resource: `sqs:SendMessage DueQueue`. */
export function permissionsOf(resources: readonly Resource[], roleId: string): readonly string[] {
  const role = resources.find(({ id }) => id === roleId);
  const attached = ofType(resources, 'AWS::IAM::Policy').filter(({ Properties }) =>
    Properties.Roles.some((one: unknown) => idIn(one) === roleId),
  );
  const documents = [
    ...(role?.Properties.Policies ?? []).map((policy: { PolicyDocument: unknown }) => policy.PolicyDocument),
    ...attached.map(({ Properties }) => Properties.PolicyDocument),
  ];
  const statements: Statement[] = documents.flatMap(({ Statement }) => Statement);
  return [...new Set(statements.flatMap(linesOf))].toSorted();
}

function linesOf({ Effect, Action, Resource, Condition }: Statement): readonly string[] {
  const condition = Condition
    ? ` if ${Object.entries(Condition)
        .flatMap(([operator, tests]) =>
          Object.entries(tests).map(
            ([key, value]) => `${operator} ${key} ${many(value).map(textOf).join(',')}`,
          ),
        )
        .join(' and ')}`
    : '';
  const deny = Effect === 'Allow' ? '' : `${Effect} `;
  return many(Action).flatMap((action) =>
    many(Resource).map((resource) => `${deny}${action} ${textOf(resource)}${condition}`),
  );
}

/** A resource as a person names it: `Table/index/due`, `MediaBucket/*`. */
function textOf(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  if (resource !== null && typeof resource === 'object' && 'Fn::Join' in resource) {
    const [, parts] = resource['Fn::Join'] as [string, unknown[]];
    return parts
      .map(textOf)
      .join('')
      .replace(/^arn:AWS::Partition:(\w+):AWS::Region:AWS::AccountId:/, '$1:');
  }
  return nameOf(idIn(resource));
}
