import * as v from 'valibot';
import type { EventSourceModel, RouteModel, ServiceModel } from '../service-model.ts';
import { ownerOf } from './read-functions.ts';
import { Count, resourcesOf, type Stack } from './stack.ts';

const FUNCTION = 'AWS::Lambda::Function';

const Integration = v.object({
  IntegrationType: v.literal('AWS_PROXY'),
  IntegrationUri: v.string(),
  PayloadFormatVersion: v.literal('2.0'),
});

const Route = v.object({
  RouteKey: v.string(),
  Target: v.pipe(v.string(), v.startsWith('integrations/')),
  AuthorizationType: v.optional(v.literal('NONE')),
});

/** The routes of the HTTP API and the functions behind them. */
export function readRoutes(stack: Stack): RouteModel[] {
  const integrations = new Map(
    resourcesOf(stack, ['AWS::ApiGatewayV2::Integration'], Integration).map(({ logicalId, properties }) => [
      logicalId,
      ownerOf(stack, FUNCTION, properties.IntegrationUri),
    ]),
  );
  return resourcesOf(stack, ['AWS::ApiGatewayV2::Route'], Route).map(({ logicalId, properties }) => {
    const functionId = integrations.get(properties.Target.slice('integrations/'.length));
    if (!functionId) throw new Error(`route ${logicalId} has no integration in this stack`);
    const [method = '', path = ''] = properties.RouteKey.split(' ');
    return method === '$default'
      ? { method: 'ANY', path: '$default', functionId }
      : { method, path, functionId };
  });
}

const EventSource = v.object({
  EventSourceArn: v.pipe(v.string(), v.includes(':sqs:')),
  FunctionName: v.string(),
  BatchSize: v.optional(Count, 10),
  Enabled: v.optional(v.literal(true)),
  ScalingConfig: v.optional(v.object({ MaximumConcurrency: Count })),
  FunctionResponseTypes: v.optional(v.array(v.string()), []),
});

/** The queues that feed functions. */
export function readEventSources(stack: Stack): EventSourceModel[] {
  return resourcesOf(stack, ['AWS::Lambda::EventSourceMapping'], EventSource).map(({ properties }) => ({
    queueArn: properties.EventSourceArn,
    functionId: ownerOf(stack, FUNCTION, properties.FunctionName),
    batchSize: properties.BatchSize,
    maxConcurrency: properties.ScalingConfig?.MaximumConcurrency,
    reportsBatchItemFailures: properties.FunctionResponseTypes.includes('ReportBatchItemFailures'),
  }));
}

const SECONDS = { minute: 60, hour: 3600, day: 86_400 } as const;

const EverySeconds = v.pipe(
  v.string(),
  v.regex(/^rate\(\d+ (minute|hour|day)s?\)$/, 'only rate() schedules run here'),
  v.transform((expression) => {
    const [, count, unit] = /^rate\((\d+) (minute|hour|day)/.exec(expression) ?? [];
    return Number(count) * SECONDS[unit === 'hour' || unit === 'day' ? unit : 'minute'];
  }),
);

const Schedule = v.object({ ScheduleExpression: EverySeconds, Target: v.object({ Arn: v.string() }) });

/** The functions that run at an interval. */
export function readRecurring(stack: Stack): ServiceModel['recurring'] {
  return resourcesOf(stack, ['AWS::Scheduler::Schedule'], Schedule).map(({ properties }) => ({
    everySeconds: properties.ScheduleExpression,
    functionId: ownerOf(stack, FUNCTION, properties.Target.Arn),
  }));
}
