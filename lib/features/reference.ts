import { Construct } from 'constructs';
import { Endpoint } from '../constructs/endpoint.ts';
import type { Route } from '../constructs/http-routes.ts';
import type { Service } from './service.ts';

/** What the API says about itself; these endpoints need no key and touch no data. */
export class Reference extends Construct {
  constructor(scope: Construct, id: string, service: Service) {
    super(scope, id);
    const answer = (name: string, route: Route, entry: string) =>
      new Endpoint<Readonly<Record<never, string>>>(this, name, {
        ...service,
        route,
        entry,
        environment: {},
        permissions: [],
      });
    answer('GetOpenapi', 'GET /openapi.json', 'reference/get-openapi');
    answer('GetDocs', 'GET /docs', 'reference/get-docs');
    answer('RouteNotFound', '$default', 'reference/route-not-found');
  }
}
