import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/closing-line.ts';

export default defineConfig({
  test: {
    // Tests wait more than they compute: on a timer, a message, a service that starts.
    maxWorkers: 3,
    reporters: ['default', new ClosingLine()],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/system/**', 'test/timing/**'],
          env: { POWERTOOLS_LOG_LEVEL: 'ERROR' },
        },
      },
      {
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          globalSetup: ['test/system/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'timing',
          include: ['test/timing/**/*.test.ts'],
          globalSetup: ['test/system/global-setup.ts'],
          // Whoever measures is alone.
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 90_000,
        },
      },
    ],
  },
});
