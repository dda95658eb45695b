import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** What differs between two deployments of the service. */
export interface Stage {
  readonly name: string;
  /** Whether table, media and keys outlive the stack, and are protected from deletion. */
  readonly keepsData: boolean;
  /** Whether alarms exist. They cost money when idle, so a stage nobody watches does without. */
  readonly hasAlarms: boolean;
  readonly logRetention: RetentionDays;
  readonly logLevel: 'DEBUG' | 'INFO';
  /** Where a person reviews drafts; a post's `review_url` is `<this>/posts/<id>`. */
  readonly reviewUrl: string;
  /** Where a workspace that met the limit of its plan is sent. */
  readonly upgradeUrl: string;
  /** Origins of web pages that may upload to the media bucket with a presigned URL. */
  readonly uploadOrigins: readonly string[];
  /** Limits of the whole API, over all workspaces; each API key has its own limit besides. */
  readonly requestsPerSecond: number;
  readonly burstRequests: number;
  /** How many functions at once work on one queue (SQS event sources: 2 to 1000). */
  readonly maxStartConcurrency: number;
  readonly maxPublishConcurrency: number;
  /** How far back a point-in-time restore of the table reaches, 1 to 35 days. */
  readonly restorableDays: number;
}

const dev: Stage = {
  name: 'dev',
  keepsData: false,
  hasAlarms: false,
  logRetention: RetentionDays.ONE_WEEK,
  logLevel: 'DEBUG',
  reviewUrl: 'https://review.example.com',
  upgradeUrl: 'https://review.example.com/plans',
  uploadOrigins: ['http://localhost:3000'],
  requestsPerSecond: 100,
  burstRequests: 200,
  maxStartConcurrency: 5,
  maxPublishConcurrency: 10,
  restorableDays: 1,
};

const production: Stage = {
  name: 'production',
  keepsData: true,
  hasAlarms: true,
  logRetention: RetentionDays.THREE_MONTHS,
  logLevel: 'INFO',
  reviewUrl: 'https://review.example.com',
  upgradeUrl: 'https://review.example.com/plans',
  uploadOrigins: ['https://review.example.com'],
  requestsPerSecond: 1000,
  burstRequests: 2000,
  maxStartConcurrency: 50,
  maxPublishConcurrency: 200,
  restorableDays: 35,
};

/** All stages, by the name given to `-c stage=`. */
export const STAGES: Readonly<Record<string, Stage>> = { dev, production };

/** The stage of this name, if there is one. */
export const stageNamed = (name: string): Stage | undefined =>
  Object.hasOwn(STAGES, name) ? STAGES[name] : undefined;
