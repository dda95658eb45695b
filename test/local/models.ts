import type { FunctionModel, ServiceModel } from '../../local/service-model.ts';

/** A model of nothing but what a test names. */
export function serviceModel(parts: Partial<ServiceModel> = {}): ServiceModel {
  return {
    region: 'us-east-1',
    accountId: '000000000000',
    functions: [],
    routes: [],
    tables: [],
    buckets: [],
    queues: [],
    keys: [],
    scheduleGroups: [],
    recurring: [],
    eventSources: [],
    roles: [],
    outputs: {},
    ...parts,
  };
}

/** A function named like its logical id. */
export function functionModel(parts: Partial<FunctionModel> & { readonly logicalId: string }): FunctionModel {
  return {
    name: parts.logicalId,
    bundleDirectory: '',
    handler: 'index.handler',
    environment: {},
    timeoutSeconds: 5,
    memoryMegabytes: 128,
    roleId: 'Role',
    ...parts,
  };
}
