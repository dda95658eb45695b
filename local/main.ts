import { parseArgs } from 'node:util';
import { bannerOf } from './banner.ts';
import { startService } from './service.ts';
import { StartupError } from './startup-error.ts';

/** `npm start [-- --reset]`: runs the service until it is told to stop. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { reset: { type: 'boolean', default: false } } });
  const service = await startService({
    port: numberOf('PORT') ?? 3000,
    stateDirectory: process.env.STATE_DIR || '.local',
    isReset: values.reset,
    sweepIntervalSeconds: numberOf('SWEEP_INTERVAL_SECONDS'),
  });
  console.log(bannerOf(service, service.state));
  const stop = async (): Promise<void> => {
    // A second Ctrl-C ends at once what the first one asked politely.
    for (const signal of SIGNALS) process.off(signal, onSignal).once(signal, () => process.exit(1));
    await service.stop();
    process.exit(0);
  };
  const onSignal = (): void => void stop();
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

function numberOf(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined || text === '') return undefined;
  if (!/^\d{1,5}$/.test(text)) throw new StartupError(`${variable} must be a whole number, got ${text}`);
  return Number(text);
}

// Lambda's clock; a worker thread cannot have its own.
process.env.TZ = 'UTC';
main().catch((error: unknown) => {
  console.error(error instanceof StartupError ? `cannot start: ${error.message}` : error);
  process.exit(1);
});
