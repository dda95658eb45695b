import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { DateTime, parseDateTime, QueryDateTime } from '../../functions/shared/date-time.ts';

describe('parseDateTime', () => {
  it.each([
    ['2026-05-01T09:00:00Z', '2026-05-01T09:00:00.000Z'],
    ['2026-05-01t09:00:00z', '2026-05-01T09:00:00.000Z'],
    ['2026-05-01T09:00:00+02:00', '2026-05-01T07:00:00.000Z'],
    ['2026-05-01T00:30:00-09:30', '2026-05-01T10:00:00.000Z'],
    ['2026-01-01T00:30:00+05:45', '2025-12-31T18:45:00.000Z'],
    ['2026-05-01T09:00:00.5Z', '2026-05-01T09:00:00.500Z'],
    ['2028-02-29T23:59:59.999Z', '2028-02-29T23:59:59.999Z'],
    ['2026-05-01T09:00:00-00:00', '2026-05-01T09:00:00.000Z'],
  ])('reads %s', (text, utc) => {
    expect(parseDateTime(text)).toBe(Date.parse(utc));
  });

  it('keeps what lies between two milliseconds', () => {
    const ms = parseDateTime('2026-05-01T09:00:00.0005Z');

    expect(ms).toBeCloseTo(Date.parse('2026-05-01T09:00:00Z') + 0.5, 3);
  });

  it.each([
    ['no zone', '2026-05-01T09:00:00'],
    ['no time', '2026-05-01'],
    ['no seconds', '2026-05-01T09:00Z'],
    ['a blank for the T', '2026-05-01 09:00:00Z'],
    ['a plus read as a blank', '2026-05-01T09:00:00 02:00'],
    ['a day that does not exist', '2026-02-30T09:00:00Z'],
    ['the 29th of February of a common year', '2026-02-29T09:00:00Z'],
    ['month 13', '2026-13-01T09:00:00Z'],
    ['day 0', '2026-05-00T09:00:00Z'],
    ['hour 24', '2026-05-01T24:00:00Z'],
    ['minute 60', '2026-05-01T09:60:00Z'],
    ['a leap second', '2026-06-30T23:59:60Z'],
    ['a zone of 24 hours', '2026-05-01T09:00:00+24:00'],
    ['a zone of 60 minutes', '2026-05-01T09:00:00+01:60'],
    ['a zone without minutes', '2026-05-01T09:00:00+02'],
    ['an empty fraction', '2026-05-01T09:00:00.Z'],
    ['six digits of year', '+002026-05-01T09:00:00Z'],
    ['words', 'tomorrow'],
    ['a line end after it', '2026-05-01T09:00:00Z\n'],
    ['other digits', '２０２６-05-01T09:00:00Z'],
  ])('refuses %s', (_, text) => {
    expect(parseDateTime(text)).toBeUndefined();
  });

  it('agrees with Date on every moment from year 0 to 9999', () => {
    const day = {
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(day), (date) => {
        expect(parseDateTime(date.toISOString())).toBeCloseTo(date.getTime(), 2);
      }),
    );
  });
});

describe('DateTime', () => {
  it('says how a date-time looks', () => {
    const read = v.safeParse(DateTime, '2026-05-01T09:00:00');

    expect(read.issues?.[0].message).toContain('RFC 3339 date-time of a real day with its zone');
    expect(read.issues).toHaveLength(1);
  });

  it('tells of a + in a query where there is a query', () => {
    const hintOf = (schema: typeof DateTime) => v.safeParse(schema, 'x').issues?.[0].message.includes('%2B');

    expect([hintOf(QueryDateTime), hintOf(DateTime)]).toEqual([true, false]);
  });
});
