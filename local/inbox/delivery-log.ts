import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { ReceivedDelivery } from './delivery.ts';

/** The deliveries received, oldest first, kept over restarts. */
export interface DeliveryLog {
  add(delivery: ReceivedDelivery): void;
  all(): readonly ReceivedDelivery[];
  clear(): void;
}

/** How many deliveries are kept; the oldest go first. */
const KEPT_DELIVERIES = 10_000;

/** A log in a file of JSON lines, which is rewritten once half of it is no longer kept. */
export function openDeliveryLog(path: string): DeliveryLog {
  let deliveries = read(path);
  let linesInFile = deliveries.length;
  const rewrite = (): void => {
    writeFileSync(`${path}.new`, deliveries.map(lineOf).join(''));
    renameSync(`${path}.new`, path);
    linesInFile = deliveries.length;
  };
  return {
    all: () => deliveries,
    add: (delivery) => {
      deliveries.push(delivery);
      if (deliveries.length > KEPT_DELIVERIES) deliveries.shift();
      appendFileSync(path, lineOf(delivery));
      linesInFile += 1;
      if (linesInFile > 2 * KEPT_DELIVERIES) rewrite();
    },
    clear: () => {
      deliveries = [];
      rewrite();
    },
  };
}

const lineOf = (delivery: ReceivedDelivery): string => `${JSON.stringify(delivery)}\n`;

/** A last line cut short by a sudden end of the process is left out. */
function read(path: string): ReceivedDelivery[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.slice(-KEPT_DELIVERIES).map((line): ReceivedDelivery => JSON.parse(line));
}
