import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { loggable } from './loggable.ts';

/**
 * Logs and metrics of a function; names and levels come from the POWERTOOLS_ variables its
 * construct sets. Log facts and ids, never payloads, captions, addresses or credentials.
 */
export const logger = new Logger({
  jsonReplacerFn: (_, value) => (value instanceof Error ? loggable(value) : value),
});
export const metrics = new Metrics();
