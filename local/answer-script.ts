import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as v from 'valibot';
import { readJson } from '../functions/shared/http/read-json.ts';
import { validated } from '../functions/shared/http/validated.ts';
import { RequestError } from '../functions/shared/request-error.ts';
import type { RequestHandler } from './gateway/api.ts';
import { readBody } from './gateway/read-body.ts';

const between = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(), v.integer(message), v.minValue(min, message), v.maxValue(max, message));
};

/** The fields that the steps of all scripts have. */
export const STEP = {
  /** How many requests it is for. */
  times: v.optional(between(0, 1_000_000), 1),
  /** How long each of their answers is held back. */
  delay_ms: v.optional(between(0, 3_600_000), 0),
  headers: v.optional(
    v.pipe(
      v.record(v.string(), v.string()),
      v.check(areHeaders, 'must be names and values that HTTP allows'),
    ),
    {},
  ),
  /** Sent as it is when text, as JSON otherwise. */
  body: v.optional(v.unknown()),
};

/** The status of an answer that ends a request. */
export const AnswerStatus = between(200, 599);

const SCRIPT_LIMIT_BYTES = 1024 * 1024;

/** Takes a script, one step or a list of them, and answers with how it was understood or with what is wrong with it. */
export const scriptHandler =
  <const Step extends v.GenericSchema>(
    step: Step,
    play: (script: v.InferOutput<Step>[]) => void,
  ): RequestHandler =>
  async (request, response) => {
    const sent = await readBody(request, SCRIPT_LIMIT_BYTES);
    if (sent === 'aborted') return;
    const send = (status: number, body: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
        .end(JSON.stringify(body));
    try {
      if (sent === 'too large') throw new RequestError('payload_too_large', 'a script may have 1 MB');
      const json = readJson(sent, { contentType: 'application/json', takesForm: false });
      const script = Array.isArray(json)
        ? validated(v.array(step), json, 'body')
        : [validated(step, json, 'body')];
      play(script);
      send(200, script);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      send(error.status, error.envelope);
    }
  };

function areHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
