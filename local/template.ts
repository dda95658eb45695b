import type { ServiceModel } from './service-model.ts';
import { readStackAssembly } from './template/cloud-assembly.ts';
import { resolve } from './template/intrinsics.ts';
import { type LocalAddresses, localScope } from './template/local-scope.ts';
import { readFunctions } from './template/read-functions.ts';
import { readRoles } from './template/read-roles.ts';
import { readBuckets, readQueues, readTables } from './template/read-stores.ts';
import { readEventSources, readRecurring, readRoutes } from './template/read-triggers.ts';
import { arnOf, type Stack } from './template/stack.ts';

/** Kinds of resources the local service runs, or rightly leaves to a deployment. */
const KNOWN_TYPES = new Set([
  'AWS::Lambda::Function',
  'AWS::Lambda::EventSourceMapping',
  'AWS::IAM::Role',
  'AWS::IAM::Policy',
  'AWS::IAM::ManagedPolicy',
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::Scheduler::Schedule',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::DynamoDB::Table',
  'AWS::DynamoDB::GlobalTable',
  'AWS::SQS::Queue',
  'AWS::S3::Bucket',
  'AWS::KMS::Key',
  // Deployed only: access between AWS services, delivery, watching.
  'AWS::ApiGatewayV2::Stage',
  'AWS::CDK::Metadata',
  'AWS::CloudFront::CachePolicy',
  'AWS::CloudFront::Distribution',
  'AWS::CloudFront::Function',
  'AWS::CloudFront::OriginAccessControl',
  'AWS::CloudFront::ResponseHeadersPolicy',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::KMS::Alias',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::LayerVersion',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
]);

/**
 * Reads the service out of a synthesized cloud assembly, its references turned to local names.
 *
 * @throws {Error} that names what the local service cannot run, rather than running half of a stack
 */
export function readServiceModel(assemblyDirectory: string, addresses: LocalAddresses): ServiceModel {
  const assembly = readStackAssembly(assemblyDirectory);
  const { template } = assembly;
  const stack: Stack = { template, scope: localScope(template, addresses) };
  const unknown = Object.entries(template.Resources).filter(([, { Type }]) => !KNOWN_TYPES.has(Type));
  if (unknown.length > 0) {
    const named = unknown.map(([logicalId, { Type }]) => `${Type} (${logicalId})`).join(', ');
    throw new Error(`the local service does not know ${named}: run it, or list it in local/template.ts`);
  }
  // The public host speaks TLS once it is deployed; here its name leads to the public server.
  const here = (text: string) => text.replace(`https://${new URL(addresses.origin).host}`, addresses.origin);
  const idsOf = (type: string) =>
    Object.keys(template.Resources).filter((id) => template.Resources[id]?.Type === type);
  return {
    region: addresses.region,
    accountId: addresses.accountId,
    functions: readFunctions(stack, assembly).map((each) => ({
      ...each,
      environment: Object.fromEntries(
        Object.entries(each.environment).map(([name, value]) => [name, here(value)]),
      ),
    })),
    routes: readRoutes(stack),
    tables: readTables(stack),
    buckets: readBuckets(stack),
    queues: readQueues(stack),
    keys: idsOf('AWS::KMS::Key').map((logicalId) => ({ logicalId, arn: arnOf(stack, logicalId) })),
    scheduleGroups: idsOf('AWS::Scheduler::ScheduleGroup').map((logicalId) => ({
      logicalId,
      name: stack.scope.ref(logicalId),
      arn: arnOf(stack, logicalId),
    })),
    recurring: readRecurring(stack),
    eventSources: readEventSources(stack),
    roles: readRoles(stack),
    outputs: Object.fromEntries(
      Object.entries(template.Outputs).map(([name, { Value }]) => [
        name,
        here(String(resolve(Value, stack.scope))),
      ]),
    ),
  };
}
