/** Tells the time in milliseconds since the epoch; an argument, so that a test can be at any moment. */
export type Clock = () => number;

/** A moment as rows and answers carry it: ISO 8601 in UTC with milliseconds. */
export const isoAt = (ms: number): string => new Date(ms).toISOString();

/** Milliseconds in the units rules are stated in. */
export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
