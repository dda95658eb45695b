/** One call as the edge saw it. */
export interface CallRecord {
  /** Counts all calls since the start, also across resets. */
  readonly sequence: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly principal: string;
  readonly instance: string;
  /** The invocation it was made in, if the runtime told. */
  readonly request_id: string;
  readonly service: string;
  readonly operation: string;
  /** HTTP status; 0 when the caller got no answer. */
  readonly status: number;
  /** AWS's name for the error, or none. */
  readonly error: string;
  readonly duration_ms: number;
  readonly read_units: number;
  readonly write_units: number;
  readonly items_read: number;
  /** The injected fault, or none. */
  readonly fault: string;
}

/** Sums of calls. */
export interface Totals {
  readonly calls: number;
  readonly errors: number;
  readonly read_units: number;
  readonly write_units: number;
  readonly items_read: number;
}

/** What was called since the last reset: sums, the same per principal and operation, and the last calls. */
export interface CountsReport {
  readonly total: Totals;
  readonly by_principal: Readonly<Record<string, Readonly<Record<string, Totals>>>>;
  readonly calls: readonly CallRecord[];
}

/** The edge's account of what it did. */
export interface Counts {
  add(record: Omit<CallRecord, 'sequence'>): void;
  /** All, or only the calls of one invocation (as far as the log still has them). */
  report(requestId?: string): CountsReport;
  reset(): void;
}

const NOTHING: Totals = { calls: 0, errors: 0, read_units: 0, write_units: 0, items_read: 0 };

/** Counts calls and remembers the last `logLength` of them. */
export function callCounts(logLength: number): Counts {
  let sequence = 0;
  let sums = new Map<string, { principal: string; operation: string; totals: Totals }>();
  let log: CallRecord[] = [];

  const addTo = (
    into: typeof sums,
    { principal, service, operation, ...record }: Omit<CallRecord, 'sequence'>,
  ) => {
    const name = `${service}:${operation}`;
    const key = `${principal} ${name}`;
    const totals = plus(into.get(key)?.totals ?? NOTHING, totalsOf(record));
    into.set(key, { principal, operation: name, totals });
  };

  return {
    add(record) {
      sequence += 1;
      addTo(sums, record);
      log.push({ sequence, ...record });
      if (log.length > 2 * logLength) log = log.slice(-logLength);
    },
    report(requestId) {
      const calls =
        requestId === undefined
          ? log.slice(-logLength)
          : log.filter(({ request_id }) => request_id === requestId);
      const asked: typeof sums = requestId === undefined ? sums : new Map();
      if (requestId !== undefined) for (const call of calls) addTo(asked, call);
      const groups = Map.groupBy(asked.values(), ({ principal }) => principal);
      return {
        total: asked.values().reduce((sum, { totals }) => plus(sum, totals), NOTHING),
        by_principal: Object.fromEntries(
          groups
            .entries()
            .map(([name, group]) => [
              name,
              Object.fromEntries(group.map(({ operation, totals }) => [operation, totals])),
            ]),
        ),
        calls,
      };
    },
    reset() {
      sums = new Map();
      log = [];
    },
  };
}

function totalsOf(record: Pick<CallRecord, 'error' | 'read_units' | 'write_units' | 'items_read'>): Totals {
  const { read_units, write_units, items_read } = record;
  return { calls: 1, errors: record.error === '' ? 0 : 1, read_units, write_units, items_read };
}

function plus(a: Totals, b: Totals): Totals {
  return {
    calls: a.calls + b.calls,
    errors: a.errors + b.errors,
    read_units: a.read_units + b.read_units,
    write_units: a.write_units + b.write_units,
    items_read: a.items_read + b.items_read,
  };
}
