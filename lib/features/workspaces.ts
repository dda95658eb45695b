import { Construct } from 'constructs';
import type { TableEnv } from '../../functions/shared/env.ts';
import type { EnvOf } from '../../functions/shared/read-env.ts';
import { Endpoint } from '../constructs/endpoint.ts';
import { authenticate, type Service, WORKSPACE_ROWS } from './service.ts';

/** The workspace a key belongs to. */
export class Workspaces extends Construct {
  constructor(scope: Construct, id: string, service: Service) {
    super(scope, id);
    const { table } = service;
    new Endpoint<EnvOf<typeof TableEnv>>(this, 'ListWorkspaces', {
      ...service,
      route: 'GET /workspaces',
      entry: 'workspaces/list-workspaces',
      environment: { SERVICE_TABLE: table.name },
      permissions: [authenticate(table), table.read(WORKSPACE_ROWS)],
    });
  }
}
