import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { WAITS_SECONDS } from '../../functions/publishing/platforms/webhook/retry-schedule.ts';
import { ENDS, TRANSITIONS } from '../../functions/publishing/stages.ts';

const architecture = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');

/** The machine as Mermaid draws it, from the table the workers run. */
function drawing(): string {
  const arrows = Object.entries(TRANSITIONS).flatMap(([stage, moves]) => {
    const byNext = Map.groupBy(Object.entries(moves), ([, next]) => next);
    return [...byNext].map(
      ([next, all]) => `    ${stage} --> ${next}: ${all.map(([result]) => result).join(', ')}`,
    );
  });
  const ends = ENDS.map((end) => `    ${end} --> [*]`);
  return ['stateDiagram-v2', '    [*] --> prepare', ...arrows, ...ends].join('\n');
}

const waitText = (seconds: number) => {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`;
};

it('draws the stage machine that runs', () => {
  expect(architecture, `put this into docs/architecture.md:\n${drawing()}`).toContain(
    `\`\`\`mermaid\n${drawing()}\n\`\`\``,
  );
});

it('lists the waits between the attempts at a webhook that are waited', () => {
  expect(architecture).toContain(WAITS_SECONDS.map(waitText).join(' · '));
});
