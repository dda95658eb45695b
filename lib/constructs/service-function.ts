import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { ComparisonOperator } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  CfnFunction,
  type ILayerVersion,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';
import type { Bundles } from './bundles.ts';
import { type Permission, permit } from './permission.ts';

/** What all functions of a service have in common. */
export interface FunctionSettings {
  readonly bundles: Bundles;
  readonly logRetention: RetentionDays;
  readonly logLevel: string;
  readonly metricsNamespace: string;
  /** @default no alarms */
  readonly alarms?: Alarms | undefined;
}

/** What makes one function differ from another. */
export interface ServiceFunctionProps<Env extends Readonly<Record<string, string>>> {
  readonly settings: FunctionSettings;
  /** The handler, as `<feature>/<verb-noun>`: `posts/create-post` is functions/posts/create-post.handler.ts. */
  readonly entry: string;
  /** Exactly the variables of the function's schema in its feature's env.ts. */
  readonly environment: NoInfer<Env>;
  /** All it may do, besides writing its own log and traces. */
  readonly permissions: readonly Permission[];
  readonly timeout: Duration;
  /** What clients notice while it fails; the text of its alarm. */
  readonly impact: string;
  /** CPU comes in proportion. @default 1024 */
  readonly memoryMegabytes?: number;
  /** What lies beside its bundle under /opt. @default nothing */
  readonly layers?: readonly ILayerVersion[];
}

/**
 * A function of ours: its own role, its own log group, traced, and watched. `Env` must be named, so that
 * a variable its schema asks for cannot be forgotten:
 *
 * @example new ServiceFunction<EnvOf<typeof ReadPostsEnv>>(this, 'GetPost', { entry: 'posts/get-post', ... })
 */
export class ServiceFunction<Env extends Readonly<Record<string, string>> = never> extends Construct {
  readonly lambda: LambdaFunction;
  readonly timeout: Duration;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps<Env>) {
    super(scope, id);
    const { settings } = props;
    const logGroup = new LogGroup(this, 'Log', {
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = observableRole(this, logGroup);
    permit(role, props.permissions);
    this.timeout = props.timeout;
    this.lambda = new LambdaFunction(this, 'Function', {
      description: props.entry,
      code: settings.bundles.codeOf(props.entry),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memoryMegabytes ?? 1024,
      timeout: props.timeout,
      layers: [...(props.layers ?? [])],
      role,
      logGroup,
      environment: {
        ...props.environment,
        NODE_OPTIONS: '--enable-source-maps',
        POWERTOOLS_SERVICE_NAME: props.entry,
        POWERTOOLS_METRICS_NAMESPACE: settings.metricsNamespace,
        POWERTOOLS_LOG_LEVEL: settings.logLevel,
      },
    });
    this.trace();
    settings.alarms?.add(this, 'Errors', {
      metric: this.lambda.metricErrors({ period: Duration.minutes(5) }),
      threshold: 1,
      comparison: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      impact: `${props.entry} fails: ${props.impact}`,
      runbook: 'function-errors',
    });
    Validations.of(this.lambda).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason:
        'A dead-letter queue of a function serves asynchronous invocations alone. API Gateway waits for the ' +
        'answer; a queue worker has the dead-letter queue of its queue; a recurring run is repeated by the next.',
    });
  }

  /** Set on the resource, since the construct's own `tracing` would put `Resource: *` among our grants. */
  private trace(): void {
    if (this.lambda.node.defaultChild instanceof CfnFunction) {
      this.lambda.node.defaultChild.tracingConfig = { mode: 'Active' };
    }
  }
}

/** A role that may write to this log group and send traces, and nothing else until it is permitted more. */
function observableRole(scope: Construct, logGroup: LogGroup): Role {
  const write = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  const trace = new PolicyStatement({
    actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
    resources: ['*'],
  });
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { Observe: new PolicyDocument({ statements: [write, trace] }) },
  });
  const reason =
    'X-Ray has no resources to name: its write actions take only "*" (service authorization reference).';
  // On the role's own resource alone: a "*" among the permissions would still be a finding.
  Validations.of(role.node.defaultChild ?? role).acknowledge(
    { id: 'AwsSolutions-IAM5[Resource::*]', reason },
    { id: 'Serverless-LambdaStarPermissions', reason },
  );
  return role;
}
