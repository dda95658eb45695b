import { S3Client } from '@aws-sdk/client-s3';
import type { Edge } from './edge/start-edge.ts';
import type { OperatorAccount } from './operator-access.ts';
import type { FunctionModel, ServiceModel } from './service-model.ts';

/** The variables by which one instance of a function reaches AWS here, as itself. */
export function awsEnvironment(edge: Edge, model: FunctionModel, instance: string): Record<string, string> {
  const { accessKeyId, secretAccessKey } = edge.credentialsFor(model.logicalId, instance);
  return {
    AWS_ENDPOINT_URL: edge.endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    // Webhooks may go to this machine, so that the inbox can be one; read by the one function that sends them.
    LOOPBACK_WEBHOOKS: 'allowed',
  };
}

/** How the operator reaches AWS and the platforms here. */
export function operatorAccount(
  edge: Edge,
  model: ServiceModel,
  platform_apis: OperatorAccount['platform_apis'],
): OperatorAccount {
  const { accessKeyId, secretAccessKey } = edge.credentialsFor('operator');
  return {
    region: model.region,
    endpoint: edge.endpoint,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    outputs: model.outputs,
    platform_apis,
  };
}

/** A client that reads media as the CDN does. */
export function mediaReader(edge: Edge, model: ServiceModel): S3Client {
  return new S3Client({
    region: model.region,
    endpoint: edge.endpoint,
    credentials: edge.credentialsFor('media-reader'),
    forcePathStyle: true,
  });
}
