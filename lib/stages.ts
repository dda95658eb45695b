import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { PlatformApis } from '../functions/publishing/env.ts';
import type { EnvOf } from '../functions/shared/read-env.ts';
import { PLATFORM_APIS } from './platform-apis.ts';

/** The model on Amazon Bedrock that writes captions. */
export interface CaptionModel {
  /** The foundation model's id. */
  readonly modelId: string;
  /** The inference profile that spreads calls over regions: the prefix of its id, `us` or `eu`. */
  readonly profile: string;
  /** The region it is called in, whichever the stack is in. */
  readonly calledIn: string;
  /** All regions the profile may run it in; captions leave these for no other. */
  readonly runsIn: readonly string[];
  /** `tool` for a model without structured output. */
  readonly output: 'json_schema' | 'tool';
  /** What the budgets of workspaces are charged. */
  readonly inputCentsPerMillionTokens: number;
  readonly outputCentsPerMillionTokens: number;
}

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
  /** The platforms' APIs and their versions. */
  readonly platformApis: EnvOf<typeof PlatformApis>;
  /** Origins of web pages that may upload to the media bucket with a presigned URL. */
  readonly uploadOrigins: readonly string[];
  /** Limits of the whole API, over all workspaces; each API key has its own limit besides. */
  readonly requestsPerSecond: number;
  readonly burstRequests: number;
  /** How many functions at once work on one queue (SQS event sources: 2 to 1000). */
  readonly maxStartConcurrency: number;
  readonly maxPublishConcurrency: number;
  readonly maxMediaConcurrency: number;
  /**
   * Whether a container takes forms with files up to 16 MB; without it a form must fit into a function's
   * request, 4.4 MB. It costs money when idle.
   */
  readonly hasUploadGateway: boolean;
  /** How far back a point-in-time restore of the table reaches, 1 to 35 days. */
  readonly restorableDays: number;
  readonly captionModel: CaptionModel;
}

/** Model card of Claude Haiku 4.5 and Bedrock's price list: 1.00 and 5.00 USD, 10 % more in a geographic profile. */
const haikuInTheUs: CaptionModel = {
  modelId: 'anthropic.claude-haiku-4-5-20251001-v1:0',
  profile: 'us',
  calledIn: 'us-east-1',
  runsIn: ['us-east-1', 'us-east-2', 'us-west-2'],
  output: 'json_schema',
  inputCentsPerMillionTokens: 110,
  outputCentsPerMillionTokens: 550,
};

const dev: Stage = {
  name: 'dev',
  keepsData: false,
  hasAlarms: false,
  logRetention: RetentionDays.ONE_WEEK,
  logLevel: 'DEBUG',
  reviewUrl: 'https://review.example.com',
  upgradeUrl: 'https://review.example.com/plans',
  platformApis: PLATFORM_APIS,
  uploadOrigins: ['http://localhost:3000'],
  requestsPerSecond: 100,
  burstRequests: 200,
  maxStartConcurrency: 5,
  maxPublishConcurrency: 10,
  maxMediaConcurrency: 5,
  hasUploadGateway: false,
  restorableDays: 1,
  captionModel: haikuInTheUs,
};

const production: Stage = {
  name: 'production',
  keepsData: true,
  hasAlarms: true,
  logRetention: RetentionDays.THREE_MONTHS,
  logLevel: 'INFO',
  reviewUrl: 'https://review.example.com',
  upgradeUrl: 'https://review.example.com/plans',
  platformApis: PLATFORM_APIS,
  uploadOrigins: ['https://review.example.com'],
  requestsPerSecond: 1000,
  burstRequests: 2000,
  maxStartConcurrency: 50,
  maxPublishConcurrency: 200,
  maxMediaConcurrency: 50,
  hasUploadGateway: true,
  restorableDays: 35,
  captionModel: haikuInTheUs,
};

/** All stages, by the name given to `-c stage=`. */
export const STAGES: Readonly<Record<string, Stage>> = { dev, production };

/** The stage of this name, if there is one. */
export const stageNamed = (name: string): Stage | undefined =>
  Object.hasOwn(STAGES, name) ? STAGES[name] : undefined;
