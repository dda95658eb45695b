import * as v from 'valibot';
import type { PlatformClient } from '../platform-client.ts';
import type { ErrorRule } from '../platform-error.ts';
import { graphErrorOf } from './meta-dialect.ts';

/** Reads a list of the Graph API. @throws {Error} naming what the platform said. */
export async function graphList<const Item extends v.GenericSchema>(
  client: PlatformClient,
  item: Item,
  call: {
    readonly url: string;
    readonly accessToken: string;
    readonly fields: string;
    readonly limit: number;
    readonly errors: Readonly<Record<string, ErrorRule>>;
    readonly nowMs: number;
  },
): Promise<v.InferOutput<Item>[]> {
  const { url, accessToken, fields, limit } = call;
  const headers = { authorization: `Bearer ${accessToken}` };
  const answer = await client({ kind: 'prepare', method: 'GET', url, headers, query: { fields, limit } });
  if (answer.outcome !== 'answered') throw new Error(`the platform did not answer: ${answer.code}`);
  const error = graphErrorOf(call.errors)(answer, call.nowMs);
  if (error) throw new Error(`the platform refused the list: ${error.text} (${error.code})`);
  return v.parse(v.object({ data: v.array(item) }), answer.body).data;
}

/** A moment as the Graph API writes it: `2026-11-21T02:28:20+0000`. */
export const graphMs = (text: string): number => Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
