import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { seededRandom } from '../local/edge/seeded-random.ts';
import { newStateDirectory, type ServiceProcess, startServiceProcess } from './system/service-process.ts';

/**
 * `npm run soak`: posts while the whole local service is killed with `kill -9` again and again, then asks
 * whether each accepted post went out, as one delivery, and was counted once. Takes SOAK_SECONDS (120) and
 * what it needs to become quiet; SEED decides when it is killed.
 */

const SECONDS = Number(process.env.SOAK_SECONDS ?? 120);
const SEED = Number(process.env.SEED ?? Date.now() % 100_000);

/** A worker that died keeps its target for up to 85 s; what crashed while it was tried again, twice that. */
const QUIET_WITHIN_MS = 300_000;

/** One request of a client that repeats it, under one key, until it is answered. */
interface Wanted {
  readonly caption: string;
  readonly key: string;
  id?: string;
}

const random = seededRandom(SEED);
const received = new Map<string, { count: number; kinds: Set<string> }>();

/** The customer's endpoint; unwell now and then. It is ours, so it outlives the service. */
const receiver = createServer(async (request, response) => {
  const body = await buffer(request).catch(() => undefined);
  if (body === undefined) return;
  const isUnwell = random() < 0.1;
  const caption = /"caption":"([^"]*)"/.exec(body.toString('latin1'))?.[1] ?? '';
  if (!isUnwell) {
    const kind = `${request.headers['x-service-delivery-id']} ${createHash('sha256').update(body).digest('hex')}`;
    const { count = 0, kinds = new Set<string>() } = received.get(caption) ?? {};
    received.set(caption, { count: count + 1, kinds: kinds.add(kind) });
  }
  response.writeHead(isUnwell ? 503 : 200).end();
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

const stateDirectory = newStateDirectory();
const wanted: Wanted[] = [];
let service = await startServiceProcess({ stateDirectory });
const workspace = service.file.workspaces[0];
if (!workspace) throw new Error('no workspace is seeded');
const channel = await connectedChannel(workspace.id);
const untilMs = Date.now() + SECONDS * 1000;
let kills = 0;

console.log(`soak: ${SECONDS} s with SEED=${SEED}`);
while (Date.now() < untilMs) {
  const killedAtMs = Date.now() + 2_000 + random() * 6_000;
  while (Date.now() < killedAtMs) {
    wanted.push({ caption: `soak ${wanted.length}`, key: randomUUID() });
    // Not awaited: requests are under way when the service dies.
    for (const each of wanted.filter(({ id }) => id === undefined)) void ask(each, service);
    await sleep(150);
  }
  await service.end('SIGKILL');
  kills += 1;
  service = await startServiceProcess({ stateDirectory });
}

for (const each of wanted) while (each.id === undefined) await ask(each, service).then(() => sleep(20));
const statuses = await quietStatuses();
const breaches = [
  ...wanted.flatMap(({ caption, id = '' }) => {
    const sent = received.get(caption);
    const status = statuses.get(id);
    if (status !== 'posted') return [`${caption} is ${status}`];
    return sent?.kinds.size === 1 ? [] : [`${caption} came as ${sent?.kinds.size ?? 0} different deliveries`];
  }),
  ...(new Set(wanted.map(({ id }) => id)).size === wanted.length ? [] : ['two requests share a post']),
  ...((await postsCounted()) === wanted.length
    ? []
    : [`${await postsCounted()} posts were counted, not ${wanted.length}`]),
];
const repeats = [...received.values()].reduce((sum, { count }) => sum + count - 1, 0);
console.log(
  `soak: ${kills} kills, ${wanted.length} posts, ${repeats} deliveries repeated, ${breaches.length} breaches`,
);
for (const breach of breaches) console.error(breach);
await service.end('SIGTERM');
receiver.close();
rmSync(stateDirectory, { recursive: true, force: true });
process.exit(breaches.length === 0 ? 0 : 1);

async function ask(each: Wanted, { file }: ServiceProcess): Promise<void> {
  const body = { caption: each.caption, channels: [{ id: channel }], publish_now: true };
  const answer = await call(file, 'POST', '/posts', {
    body: JSON.stringify(body),
    'idempotency-key': each.key,
  });
  if (answer?.status === 202) each.id ??= answer.body.id;
}

async function call(
  { base_url }: ServiceProcess['file'],
  method: string,
  path: string,
  { body, ...headers }: Record<string, string> = {},
) {
  const authorization = `Bearer ${workspace?.api_keys.full}`;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`${base_url}${path}`, {
    method,
    headers: { authorization, ...type, ...headers },
    ...(body && { body }),
  })
    // The service has just been killed; the client asks again.
    .catch(() => undefined);
  const text = await response?.text().catch(() => undefined);
  return response && text ? { status: response.status, body: JSON.parse(text) } : undefined;
}

async function quietStatuses(): Promise<Map<string, string>> {
  const statuses = new Map<string, string>();
  const giveUpMs = Date.now() + QUIET_WITHIN_MS;
  for (;;) {
    const open = wanted.filter(({ id = '' }) => !['posted', 'failed'].includes(statuses.get(id) ?? ''));
    for (const { id = '' } of open) {
      statuses.set(id, (await call(service.file, 'GET', `/posts/${id}`))?.body.status);
    }
    if (open.length === 0 || Date.now() > giveUpMs) return statuses;
    await sleep(1_000);
  }
}

async function postsCounted(): Promise<number> {
  return (await call(service.file, 'GET', '/workspaces'))?.body.data[0].usage.posts_today;
}

async function connectedChannel(workspaceId: string): Promise<string> {
  const plan = ['--posts-per-day', '1000000', '--requests-per-minute', '1000000'];
  await operate('set-plan', '--workspace', workspaceId, ...plan);
  const endpoint = ['--url', hook, '--secret', `whsec_${'A'.repeat(43)}=`];
  const kind = ['--platform', 'custom_webhook', '--name', 'soak'];
  return (await operate('connect-channel', '--workspace', workspaceId, ...kind, ...endpoint)).id;
}

async function operate(...command: readonly string[]) {
  const env = { ...process.env, STATE_DIR: stateDirectory };
  const { stdout } = await promisify(execFile)(process.execPath, ['bin/operator.ts', ...command, '--json'], {
    env,
  });
  return JSON.parse(stdout);
}
