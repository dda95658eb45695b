import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { StepRecord } from './attempt.ts';
import type { PublishingTarget } from './target.ts';

/** What is told of a step's end. */
type Ended = Pick<StepRecord, 'stage' | 'result' | 'code'>;

/** What operators see of publishing: one line and a few numbers for each outcome, ids but no content. */
export interface PublishingEvents {
  stepEnded(target: PublishingTarget, step: Ended): void;
  /** A step threw: a fault of ours or of what we depend on. */
  stepBroke(target: PublishingTarget, error: unknown): void;
  /** The first send of a target has begun, so long after it was meant to. */
  sendBegan(target: PublishingTarget, lateMs: number): void;
}

/** Events as log lines and metrics. */
export function publishingEvents(logger: Logger, metrics: Metrics): PublishingEvents {
  const ids = ({ workspace_id, post_id, channel_id, platform, fence }: PublishingTarget) => ({
    workspace_id,
    post_id,
    channel_id,
    platform,
    fence,
  });
  return {
    stepEnded(target, { stage, result, code }) {
      logger.info('target step ended', { ...ids(target), stage, result, code });
      // Alarms need the sum over all platforms; the platform is there to be queried for.
      metrics
        .singleMetric()
        .addDimension('result', result)
        .addMetadata('platform', target.platform)
        .addMetric('PublishAttempts', MetricUnit.Count, 1);
    },
    stepBroke(target, error) {
      logger.error('target step broke', { ...ids(target), error: error as Error });
    },
    sendBegan(target, lateMs) {
      logger.info('target send began', { ...ids(target), late_ms: lateMs });
      metrics.singleMetric().addMetric('PublishLateness', MetricUnit.Milliseconds, Math.max(0, lateMs));
    },
  };
}
