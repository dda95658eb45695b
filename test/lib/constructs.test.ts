import { Duration, Stack } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, it } from 'vitest';
import { noBundles } from '../../lib/constructs/bundles.ts';
import { Endpoint } from '../../lib/constructs/endpoint.ts';
import { HttpRoutes } from '../../lib/constructs/http-routes.ts';
import { ServiceFunction } from '../../lib/constructs/service-function.ts';
import { WorkQueue } from '../../lib/constructs/work-queue.ts';
import { STAGES, stageNamed } from '../../lib/stages.ts';
import { quickApp } from './synthesized.ts';

type NoVariables = Readonly<Record<never, string>>;

const settings = {
  bundles: noBundles,
  logRetention: RetentionDays.ONE_DAY,
  logLevel: 'INFO',
  metricsNamespace: 'Test',
};

describe('a work queue', () => {
  it('refuses a worker that may run for longer than it hides a message', () => {
    const stack = new Stack(quickApp(), 'Stack');
    const queue = new WorkQueue(stack, 'Queue', { workTimeout: Duration.seconds(10), impact: 'none.' });
    const worker = new ServiceFunction<NoVariables>(stack, 'Worker', {
      settings,
      entry: 'posts/work',
      environment: {},
      permissions: [],
      timeout: Duration.seconds(11),
      impact: 'none.',
    });

    expect(() => queue.feed(worker, { batchSize: 1, maxConcurrency: 2 })).toThrow(
      'may run 11 s, but its queue counts on 10 s',
    );
  });
});

describe('routes', () => {
  it('are answered by one endpoint each', () => {
    const stack = new Stack(quickApp(), 'Stack');
    const routes = new HttpRoutes(stack, 'Http', {
      basePath: '/v1',
      requestsPerSecond: 1,
      burstRequests: 1,
      logRetention: RetentionDays.ONE_DAY,
    });
    const endpoint = (id: string) =>
      new Endpoint<NoVariables>(stack, id, {
        settings,
        routes,
        route: 'GET /posts',
        entry: 'posts/list-posts',
        environment: {},
        permissions: [],
      });
    endpoint('One');

    expect(() => endpoint('Two')).toThrow('GET /posts is already answered by another endpoint');
  });
});

describe('stages', () => {
  it('are found by name, and nothing else is a stage', () => {
    expect(stageNamed('production')).toBe(STAGES.production);
    expect(stageNamed('staging')).toBeUndefined();
    expect(stageNamed('toString')).toBeUndefined();
  });
});
