import type { PolicyStatement, ServiceModel } from '../service-model.ts';

/** Someone who may call AWS: a function under its role, or one of the few callers outside the stack. */
export interface Principal {
  /** Part of its access key ids: a function's logical id, or the caller's name. */
  readonly id: string;
  /** For people, counts and faults: `posts/create-post`. */
  readonly name: string;
  /** How AWS names it in a refusal. */
  readonly arn: string;
  readonly statements: readonly PolicyStatement[];
}

/**
 * All principals of the service: a function has its role's statements; `operator` may do everything, as
 * a person with an administrator's role; `media-reader` reads the buckets, as the CDN does.
 */
export function principalsOf(model: ServiceModel): readonly Principal[] {
  const roles = new Map(model.roles.map((role) => [role.logicalId, role]));
  const functions = model.functions.map(({ logicalId, name, roleId }): Principal => {
    const role = roles.get(roleId);
    if (role === undefined)
      throw new Error(`function ${logicalId} names the role ${roleId}, which is absent`);
    return { id: logicalId, name, arn: assumedRoleArn(role.arn, logicalId), statements: role.statements };
  });
  const user = (name: string, statement: PolicyStatement): Principal => ({
    id: name,
    name,
    arn: `arn:aws:iam::${model.accountId}:user/${name}`,
    statements: [statement],
  });

  return [
    ...functions,
    user('operator', { Effect: 'Allow', Action: ['*'], Resource: ['*'] }),
    user('media-reader', {
      Effect: 'Allow',
      // Listing only makes S3 say "not found" of what is absent instead of "denied".
      Action: ['s3:GetObject', 's3:ListBucket'],
      Resource: model.buckets.flatMap(({ arn }) => [arn, `${arn}/*`]),
    }),
  ];
}

function assumedRoleArn(roleArn: string, session: string): string {
  return `${roleArn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${session}`;
}
