/** The longest wait an endpoint can ask for. */
export const MAX_RETRY_AFTER_SECONDS = 24 * 60 * 60;

const IMF_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The wait a `Retry-After` header asks for (RFC 9110: seconds or an HTTP-date), at most a day; nothing if it makes no sense. */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = secondsOf(text, nowMs);
  if (Number.isNaN(seconds) || seconds < 0) return undefined;
  return Math.min(seconds, MAX_RETRY_AFTER_SECONDS);
}

function secondsOf(text: string, nowMs: number): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return IMF_DATE.test(text) ? Math.ceil((Date.parse(text) - nowMs) / 1_000) : Number.NaN;
}
