import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { Tracer } from '@aws-lambda-powertools/tracer';
import { loggable } from './loggable.ts';

/**
 * Logs, metrics and traces of a function; names and levels come from the POWERTOOLS_ variables its
 * construct sets. Log facts and ids, never payloads, captions, addresses or credentials.
 */
export const logger = new Logger({
  jsonReplacerFn: (_, value) => (value instanceof Error ? loggable(value) : value),
});
export const metrics = new Metrics();
export const tracer = new Tracer({ captureHTTPsRequests: false });
