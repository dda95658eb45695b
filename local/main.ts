import { parseArgs } from 'node:util';
import { bannerOf } from './banner.ts';
import { type RunningService, startService } from './service.ts';
import { StartupError } from './startup-error.ts';

/** `npm start [-- --reset]`: runs the service until it is told to stop. */
async function main(): Promise<void> {
  const service = await startService({
    port: numberOf('PORT') ?? 3000,
    stateDirectory: process.env.STATE_DIR || '.local',
    isReset: isReset(),
    sweepIntervalSeconds: numberOf('SWEEP_INTERVAL_SECONDS'),
    captionModel: captionModel(),
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(service));
  console.log(bannerOf(service));
}

function isReset(): boolean {
  try {
    return parseArgs({ options: { reset: { type: 'boolean', default: false } } }).values.reset;
  } catch {
    throw new StartupError(`--reset is the only option, got ${process.argv.slice(2).join(' ')}`);
  }
}

let isStopping = false;

/** Ends the process; asked again, at once. */
async function stop(service: RunningService): Promise<void> {
  if (isStopping) process.exit(1);
  isStopping = true;
  await service.stop();
  process.exit(0);
}

function captionModel(): 'rules' | 'bedrock' {
  const given = process.env.CAPTION_MODEL || 'rules';
  if (given === 'rules' || given === 'bedrock') return given;
  throw new StartupError(`CAPTION_MODEL must be rules or bedrock, got ${given}`);
}

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
