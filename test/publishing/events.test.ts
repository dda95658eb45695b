import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { expect, it, vi } from 'vitest';
import { publishingEvents } from '../../functions/publishing/events.ts';
import type { PublishingTarget } from '../../functions/publishing/target.ts';

/** What is written to the log as metrics, in CloudWatch's embedded format. */
function emitted(tell: (events: ReturnType<typeof publishingEvents>) => void) {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  // Powertools has a console of its own, but where this is development, in which it would be silent.
  vi.stubEnv('POWERTOOLS_DEV', 'true').stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  const metrics = new Metrics({ namespace: 'Posts', serviceName: 'publishing/publish-target' });
  tell(publishingEvents(new Logger({ logLevel: 'SILENT' }), metrics));
  vi.unstubAllEnvs();
  log.mockRestore();
  return lines.map((line) => JSON.parse(line));
}

const target = {
  workspace_id: 'w',
  post_id: 'p',
  channel_id: 'c',
  platform: 'tiktok',
  fence: 1,
} as PublishingTarget;

it('counts attempts by result, under the dimensions the alarms look at', () => {
  const [line] = emitted((events) => events.stepEnded(target, { stage: 'send', result: 'posted' }));

  expect(line._aws.CloudWatchMetrics[0]).toMatchObject({
    Namespace: 'Posts',
    Dimensions: [['service', 'result']],
    Metrics: [{ Name: 'PublishAttempts' }],
  });
  expect(line).toMatchObject({
    service: 'publishing/publish-target',
    result: 'posted',
    platform: 'tiktok',
    PublishAttempts: 1,
  });
});

it('measures how late a first send begins, and never less than nothing', () => {
  const lines = emitted((events) => {
    events.sendBegan(target, 340);
    events.sendBegan(target, -5);
  });

  expect(lines.map(({ PublishLateness }) => PublishLateness)).toEqual([340, 0]);
  expect(lines[0]._aws.CloudWatchMetrics[0].Dimensions).toEqual([['service']]);
});
