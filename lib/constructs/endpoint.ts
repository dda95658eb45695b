import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { HttpRoutes, Route } from './http-routes.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

interface EndpointProps<Env extends Readonly<Record<string, string>>>
  extends Omit<ServiceFunctionProps<Env>, 'timeout' | 'impact'> {
  readonly routes: HttpRoutes;
  readonly route: Route;
}

/** API Gateway stops waiting after 30 s (HTTP API quotas); the function must answer before. */
const ENDPOINT_TIMEOUT = Duration.seconds(28);

/** A function that answers one route. */
export class Endpoint<Env extends Readonly<Record<string, string>> = never> extends ServiceFunction<Env> {
  constructor(scope: Construct, id: string, props: EndpointProps<Env>) {
    super(scope, id, {
      ...props,
      timeout: ENDPOINT_TIMEOUT,
      impact: `requests to ${props.route} are answered with 5xx.`,
    });
    props.routes.add(this, props.route, this.lambda);
  }
}
