import { Construct } from 'constructs';
import { Endpoint } from '../constructs/endpoint.ts';
import type { Service } from './service.ts';

/** What the API says about itself; these endpoints need no key and touch no data. */
export class Reference extends Construct {
  constructor(scope: Construct, id: string, service: Service) {
    super(scope, id);
    new Endpoint<Readonly<Record<never, string>>>(this, 'RouteNotFound', {
      ...service,
      route: '$default',
      entry: 'reference/route-not-found',
      environment: {},
      permissions: [],
    });
  }
}
