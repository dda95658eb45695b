/**
 * What the synthesized template says, in the words of the local service. `template.ts` reads it out of
 * the cloud assembly; the edge, the function runtime and the gateway are driven by it and by nothing else.
 */
export interface ServiceModel {
  readonly region: string;
  readonly accountId: string;
  readonly functions: readonly FunctionModel[];
  readonly routes: readonly RouteModel[];
  readonly tables: readonly TableModel[];
  readonly buckets: readonly BucketModel[];
  readonly queues: readonly QueueModel[];
  readonly keys: readonly { readonly logicalId: string; readonly arn: string }[];
  readonly scheduleGroups: readonly {
    readonly logicalId: string;
    readonly name: string;
    readonly arn: string;
  }[];
  readonly recurring: readonly { readonly everySeconds: number; readonly functionId: string }[];
  readonly eventSources: readonly EventSourceModel[];
  readonly roles: readonly RoleModel[];
  /** The stack's outputs, resolved to local names, ARNs and URLs. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** A Lambda function as the template describes it. */
export interface FunctionModel {
  readonly logicalId: string;
  /** The handler's path in functions/, for people: `posts/create-post`. */
  readonly name: string;
  /** The folder with the shipped bundle. */
  readonly bundleDirectory: string;
  /** `file.export` within the bundle, as Lambda reads it. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly roleId: string;
}

/** A route of the HTTP API; `path` in API Gateway's form (`/api/v1/posts/{id}`), or `$default`. */
export interface RouteModel {
  readonly method: string;
  readonly path: string;
  readonly functionId: string;
}

/** A table; `definition` is the body of its CreateTable call. */
export interface TableModel {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly ttlAttribute: string | undefined;
}

/** A bucket. */
export interface BucketModel {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  readonly corsRules: readonly Readonly<Record<string, unknown>>[];
}

/** A standard SQS queue. */
export interface QueueModel {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  readonly visibilityTimeoutSeconds: number;
  readonly retentionSeconds: number;
  readonly deadLetter: { readonly arn: string; readonly maxReceiveCount: number } | undefined;
}

/** An SQS queue feeding a function. */
export interface EventSourceModel {
  readonly queueArn: string;
  readonly functionId: string;
  readonly batchSize: number;
  readonly maxConcurrency: number | undefined;
  readonly reportsBatchItemFailures: boolean;
}

/** A role with all statements attached to it, references resolved. */
export interface RoleModel {
  readonly logicalId: string;
  readonly arn: string;
  readonly statements: readonly PolicyStatement[];
}

/** An IAM statement in its canonical plural form. */
export interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}
