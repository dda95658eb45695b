import { Fn, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

/** A method and a path below the base path, `GET /posts/{id}`; or `$default`: whatever matches nothing else. */
export type Route = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}` | '$default';

interface HttpRoutesProps {
  /** What every path begins with: `/api/v1`. */
  readonly basePath: string;
  readonly requestsPerSecond: number;
  readonly burstRequests: number;
  readonly logRetention: RetentionDays;
}

/** Who called what, and how it went: no headers, so no key; no query, so no cursor. */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    request_id: '$context.requestId',
    time: '$context.requestTimeEpoch',
    ip: '$context.identity.sourceIp',
    user_agent: '$context.identity.userAgent',
    route: '$context.routeKey',
    path: '$context.path',
    status: '$context.status',
    response_bytes: '$context.responseLength',
    latency_ms: '$context.responseLatency',
    function_ms: '$context.integrationLatency',
    function_status: '$context.integrationStatus',
    error: '$context.integrationErrorMessage',
  }),
);

const METHODS: Readonly<Record<string, HttpMethod>> = HttpMethod;

/** An HTTP API: routes to functions, throttled as a whole, with an access log. */
export class HttpRoutes extends Construct {
  /** Of the API itself: with the base path, without a slash at its end. */
  readonly url: string;
  /** The host behind that address. */
  readonly domainName: string;
  private readonly api: HttpApi;
  private readonly basePath: string;
  private readonly taken = new Set<Route>();

  constructor(scope: Construct, id: string, props: HttpRoutesProps) {
    super(scope, id);
    this.basePath = props.basePath;
    this.api = new HttpApi(this, 'Api', { createDefaultStage: false });
    new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: props.requestsPerSecond, burstLimit: props.burstRequests },
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLog', {
            retention: props.logRetention,
            removalPolicy: RemovalPolicy.DESTROY,
          }),
        ),
        format: ACCESS_LOG,
      },
    });
    this.url = `${this.api.apiEndpoint}${props.basePath}`;
    this.domainName = Fn.select(2, Fn.split('/', this.api.apiEndpoint));
  }

  /**
   * Has the function answer the route; the route belongs to `scope`.
   *
   * @throws {Error} when two endpoints answer the same route: CloudFormation finds that out only on deployment.
   */
  add(scope: Construct, route: Route, lambda: IFunction): void {
    if (this.taken.has(route)) throw new Error(`${route} is already answered by another endpoint`);
    this.taken.add(route);
    const httpRoute = new HttpRoute(scope, 'Route', {
      httpApi: this.api,
      routeKey: this.keyOf(route),
      integration: new HttpLambdaIntegration('Integration', lambda),
    });
    Validations.of(httpRoute).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'Keys are checked in the function: one conditional write authenticates and counts against the ' +
        'rate limit, so a revoked key stops at once, which no cached answer of an authorizer does.',
    });
  }

  private keyOf(route: Route): HttpRouteKey {
    if (route === '$default') return HttpRouteKey.DEFAULT;
    const [method = '', path = ''] = route.split(' ');
    return HttpRouteKey.with(this.basePath + path, METHODS[method]);
  }
}
