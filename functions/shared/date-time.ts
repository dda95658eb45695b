import * as v from 'valibot';

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Reads an RFC 3339 date-time into milliseconds since the epoch; undefined if it is not one. A zone is
 * mandatory, and the day must exist: `Date.parse` would read a missing zone in the machine's own, and
 * the 30th of February as the 2nd of March. Digits beyond milliseconds are kept as a fraction.
 */
export function parseDateTime(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [fraction = '', sign, zoneHours = '0', zoneMinutes = '0'] = match.slice(7);
  if (hour > 23 || minute > 59 || second > 59 || Number(zoneHours) > 23 || Number(zoneMinutes) > 59)
    return undefined;
  const utc = new Date(0);
  utc.setUTCFullYear(year, month - 1, day);
  utc.setUTCHours(hour, minute, second);
  if (utc.getUTCMonth() !== month - 1 || utc.getUTCDate() !== day) return undefined;
  const zoneMs = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return utc.getTime() - zoneMs + Number(`0.${fraction || '0'}`) * 1000;
}

const dateTime = (hint: string) =>
  v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const ms = parseDateTime(dataset.value);
      if (ms !== undefined) return ms;
      addIssue({
        message: `must be an RFC 3339 date-time of a real day with its zone, such as 2026-05-01T09:00:00Z or 2026-05-01T09:00:00+02:00${hint}`,
      });
      return NEVER;
    }),
    v.metadata({ format: 'date-time' }),
  );

/** A date-time of a request, as milliseconds since the epoch. */
export const DateTime = dateTime('');

/** One in a query, where a bare + is a space. */
export const QueryDateTime = dateTime(' (in a query, write + as %2B)');
