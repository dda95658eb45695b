import type { IncomingMessage } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import * as v from 'valibot';
import { ModelRule, type ModelScript } from './bedrock/model-script.ts';
import type { Answer } from './call.ts';
import type { Counts } from './counts.ts';
import { FaultRule, type Faults } from './faults.ts';

interface Controlled {
  readonly counts: Counts;
  readonly faults: Faults;
  readonly modelScript: ModelScript;
}

/** Where the edge is steered from; everything below it is no AWS call. */
export const CONTROL_PATH = '/__edge/';

type Command = (edge: Controlled, request: IncomingMessage, query: URLSearchParams) => unknown;

const COMMANDS: Readonly<Record<string, Command>> = {
  'GET counts': ({ counts }, _request, query) => counts.report(query.get('request_id') ?? undefined),
  'DELETE counts': ({ counts }) => counts.reset(),
  'GET faults': ({ faults }) => faults.list(),
  'DELETE faults': ({ faults }) => faults.clear(),
  'POST faults': async ({ faults }, request) => {
    faults.set(v.parse(v.array(FaultRule), await readJson(request)));
    return faults.list();
  },
  'GET model': ({ modelScript }) => modelScript.list(),
  'DELETE model': ({ modelScript }) => modelScript.clear(),
  'POST model': async ({ modelScript }, request) => {
    modelScript.add(v.parse(v.array(ModelRule), await readJson(request)));
    return modelScript.list();
  },
};

/** Counts and faults over HTTP, for tests in other processes. */
export async function control(edge: Controlled, request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://edge');
  const command = COMMANDS[`${request.method} ${pathname.slice(CONTROL_PATH.length)}`];
  if (command === undefined)
    return answer(404, { error: `the edge knows: ${Object.keys(COMMANDS).join(', ')}` });
  try {
    return answer(200, (await command(edge, request, searchParams)) ?? {});
  } catch (error) {
    if (error instanceof v.ValiError) return answer(400, { error: v.flatten(error.issues) });
    if (error instanceof SyntaxError) return answer(400, { error: error.message });
    throw error;
  }
}

function answer(status: number, body: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
