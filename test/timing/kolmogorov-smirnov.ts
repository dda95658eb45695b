/** How far two samples are apart, and how likely as much is if both are of one distribution. */
export interface Comparison {
  /** The largest distance between the two empirical distributions, 0 to 1. */
  readonly distance: number;
  readonly p: number;
}

/** The two-sample Kolmogorov-Smirnov test; its p is asymptotic, good from some dozens of samples each. */
export function compared(a: readonly number[], b: readonly number[]): Comparison {
  const [x, y] = [a.toSorted((p, q) => p - q), b.toSorted((p, q) => p - q)];
  let [i, j, distance] = [0, 0, 0];
  while (i < x.length && j < y.length) {
    const next = Math.min(x[i] ?? 0, y[j] ?? 0);
    while (i < x.length && (x[i] ?? 0) <= next) i += 1;
    while (j < y.length && (y[j] ?? 0) <= next) j += 1;
    distance = Math.max(distance, Math.abs(i / x.length - j / y.length));
  }
  const root = Math.sqrt((x.length * y.length) / (x.length + y.length));
  return { distance, p: tailOf((root + 0.12 + 0.11 / root) * distance) };
}

/** The tail of Kolmogorov's distribution. */
function tailOf(lambda: number): number {
  if (lambda < 0.2) return 1;
  let sum = 0;
  for (let k = 1; k <= 100; k += 1) sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * k * k * lambda * lambda);
  return Math.min(1, Math.max(0, sum));
}
