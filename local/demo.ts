import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { startService } from './service.ts';
import { ServiceFile } from './service-file.ts';
import { StartupError } from './startup-error.ts';
import { readJson } from './state-directory.ts';

/** The smallest PNG there is: one red pixel. */
const PIXEL_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

/** How long a post may take to its webhook. */
const DELIVERED_WITHIN_MS = 30_000;

const Created = v.object({ id: v.string() });

/** The parts of deliveries that matter here. */
const Deliveries = v.array(
  v.looseObject({
    meta: v.nullable(v.looseObject({ caption: v.optional(v.string()) })),
    signature_valid: v.boolean(),
  }),
);

/** `npm run demo`: publishes one post with an image to the webhook inbox and shows the delivery it received. */
async function main(): Promise<void> {
  const stateDirectory = process.env.STATE_DIR || '.local';
  const running = await runningService(`${stateDirectory}/service.json`);
  const started = running ? undefined : await startService({ port: 0, stateDirectory });
  try {
    const service = running ?? started;
    if (!service) throw new StartupError('there is no service');
    const delivery = await publishAndReceive(service);
    console.log(JSON.stringify(delivery, undefined, 2));
    if (!delivery.signature_valid)
      throw new StartupError('the delivery came with a signature that is not valid');
    console.log('\nThe post was delivered, and its signature is valid.');
  } finally {
    await started?.stop();
  }
}

async function runningService(file: string): Promise<ServiceFile | undefined> {
  const read = v.safeParse(ServiceFile, readJson(file));
  if (!read.success) return undefined;
  return call(read.output, 'GET', '/workspaces').then(
    () => read.output,
    () => undefined,
  );
}

async function publishAndReceive(service: ServiceFile): Promise<v.InferOutput<typeof Deliveries>[number]> {
  const caption = `Hello from npm run demo at ${new Date().toISOString()}`;
  const channel = service.workspaces[0]?.channels.find(({ platform }) => platform === 'custom_webhook');
  const media = v.parse(Created, await call(service, 'POST', '/media', imageForm()));
  const post = v.parse(
    Created,
    await call(service, 'POST', '/posts', {
      caption,
      channels: [{ id: channel?.id }],
      media: [{ id: media.id }],
      publish_now: true,
    }),
  );
  const until = Date.now() + DELIVERED_WITHIN_MS;
  while (Date.now() < until) {
    const received = await (await fetch(`${service.inbox_url}/deliveries`)).json();
    const delivery = v.parse(Deliveries, received).findLast(({ meta }) => meta?.caption === caption);
    if (delivery) return delivery;
    await sleep(100);
  }
  const now = await call(service, 'GET', `/posts/${post.id}`);
  throw new StartupError(
    `no delivery within ${DELIVERED_WITHIN_MS / 1000} s; the post: ${JSON.stringify(now)}`,
  );
}

/** A picture of one pixel, as an upload form. */
function imageForm(): FormData {
  const form = new FormData();
  form.append('file', new Blob([Buffer.from(PIXEL_PNG, 'base64')], { type: 'image/png' }), 'pixel.png');
  return form;
}

async function call(service: ServiceFile, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${service.base_url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.workspaces[0]?.api_keys.full}`,
      ...(body && { 'idempotency-key': randomUUID() }),
      ...(body && !(body instanceof FormData) && { 'content-type': 'application/json' }),
    },
    ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok)
    throw new StartupError(`${method} ${path} was answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof StartupError ? `the demo failed: ${error.message}` : error);
    process.exit(1);
  },
);
