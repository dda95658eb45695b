import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import type { ReceivedDelivery } from '../../local/inbox/delivery.ts';
import type { ServiceFile } from '../../local/service-file.ts';
import { checkAnswer } from './contract.ts';

/** An answer with its body as JSON where it is JSON, as text otherwise. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
  /** The body as it was sent. */
  readonly text: string;
}

interface CallOptions {
  /** @default the first workspace's full key; null sends none */
  readonly key?: string | null;
  /** Sent as JSON; a text, or bytes, as they are. */
  readonly body?: unknown;
  /** @default a fresh one on every write; null sends none */
  readonly idempotencyKey?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls the API of a service: `call('POST', '/posts', { body })`. */
export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

/** A client of any service. Every answer is held against openapi.json. */
export function clientOf(service: ServiceFile): Call {
  return async (method, path, options = {}) => {
    const { key = service.workspaces[0]?.api_keys.full, body, idempotencyKey = randomUUID() } = options;
    const response = await fetch(`${service.base_url}${path}`, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(method !== 'GET' && idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const { status } = response;
    const answer = { status, headers: response.headers, body: isJson ? JSON.parse(text) : text, text };
    checkAnswer({ method, path, ...answer });
    return answer;
  };
}

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array;

/** The id of a seeded channel of the first workspace. */
export function channelOf(service: ServiceFile, platform = 'custom_webhook'): string {
  const channel = service.workspaces[0]?.channels.find((each) => each.platform === platform);
  if (!channel) throw new Error(`the seed has no ${platform} channel`);
  return channel.id;
}

/** What a service's inbox received of the post with this caption. */
export async function deliveriesOf(service: ServiceFile, caption: string): Promise<ReceivedDelivery[]> {
  const response = await fetch(`${service.inbox_url}/deliveries`);
  const all = (await response.json()) as (ReceivedDelivery & { meta: { caption?: string } | null })[];
  return all.filter(({ meta }) => meta?.caption === caption);
}

/** Asks until there is an answer other than undefined. @throws {Error} after `withinMs` */
export async function eventually<T>(ask: () => Promise<T | undefined>, withinMs = 10_000): Promise<T> {
  const until = Date.now() + withinMs;
  while (Date.now() < until) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await sleep(30);
  }
  throw new Error(`not within ${withinMs} ms`);
}

/** The service of this run, and a client of it. */
export function runningService(): { readonly service: ServiceFile; readonly call: Call } {
  const service = inject('service');
  return { service, call: clientOf(service) };
}
