import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { StepResult } from './stages.ts';
import type { PublishingTarget } from './target.ts';

/** What operators see of publishing: one line and a few numbers for each outcome, ids but no content. */
export interface PublishingEvents {
  stepEnded(target: PublishingTarget, step: { result: StepResult; code?: string | undefined }): void;
  /** The first send of a target has begun, so long after it was meant to. */
  sendBegan(target: PublishingTarget, lateMs: number): void;
}

/** Events as log lines and metrics. */
export function publishingEvents(logger: Logger, metrics: Metrics): PublishingEvents {
  const ids = ({ workspace_id, post_id, channel_id, platform, stage, fence }: PublishingTarget) => ({
    workspace_id,
    post_id,
    channel_id,
    platform,
    stage,
    fence,
  });
  return {
    stepEnded(target, { result, code }) {
      logger.info('target step ended', { ...ids(target), result, code });
      metrics
        .singleMetric()
        .addDimensions({ platform: target.platform, result })
        .addMetric('PublishAttempts', MetricUnit.Count, 1);
    },
    sendBegan(target, lateMs) {
      logger.info('target send began', { ...ids(target), late_ms: lateMs });
      metrics.singleMetric().addMetric('PublishLateness', MetricUnit.Milliseconds, Math.max(0, lateMs));
    },
  };
}
