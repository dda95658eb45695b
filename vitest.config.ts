import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/closing-line.ts';

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine()],
    projects: [
      { test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/system/**'] } },
      {
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          globalSetup: ['test/system/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 90_000,
        },
      },
    ],
  },
});
