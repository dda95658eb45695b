import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CHANNEL_EVENTS, type ChannelMove } from '../../functions/channels/channel-states.ts';

const architecture = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
const section = architecture.slice(
  architecture.indexOf('## Channels'),
  architecture.indexOf('### Credentials'),
);

/** `from --> to: event` for each move that changes the state. */
const moves = Object.entries(CHANNEL_EVENTS as Record<string, ChannelMove>).flatMap(([event, { from, to }]) =>
  from.filter((state) => state !== to).map((state) => `${state} --> ${to}: ${event}`),
);

const drawn = [...section.matchAll(/^ {4}(\w+) --> (\w+): (.+)$/gm)].flatMap(([, from, to, events = '']) =>
  events.split(', ').map((event) => `${from} --> ${to}: ${event}`),
);

it('draws the states of a channel as they are', () => {
  expect(drawn.toSorted()).toEqual(moves.toSorted());
});
