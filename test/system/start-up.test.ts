import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startService } from '../../local/service.ts';
import { channelOf, clientOf, deliveriesOf, eventually } from './client.ts';
import {
  newStateDirectory,
  runServiceProcess,
  type ServiceProcess,
  startServiceProcess,
} from './service-process.ts';

let service: ServiceProcess | undefined;
let ownDirectory: string;
const start = async (options: Parameters<typeof startServiceProcess>[0] = {}): Promise<ServiceProcess> => {
  service = await startServiceProcess({ stateDirectory: ownDirectory, ...options });
  return service;
};
beforeEach(() => {
  ownDirectory = newStateDirectory();
});
afterEach(async () => {
  await service?.end('SIGKILL');
  service = undefined;
  rmSync(ownDirectory, { recursive: true, force: true });
});

/** Writes a draft; returns its id. */
async function draftOn({ file }: ServiceProcess): Promise<string> {
  const body = { caption: 'kept', channels: [{ id: channelOf(file) }] };
  return (await clientOf(file)('POST', '/posts', { body })).body.id;
}

describe('starting the local service', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'keeps its state over %s, keys and channels too',
    async (signal) => {
      const before = await start();
      const id = await draftOn(before);
      await before.end(signal);

      const after = await start({ stateDirectory: before.stateDirectory });
      expect(after.file.workspaces).toEqual(before.file.workspaces);
      expect((await clientOf(after.file)('GET', `/posts/${id}`)).body).toMatchObject({ id, caption: 'kept' });

      const caption = `after ${signal}`;
      const body = { caption, channels: [{ id: channelOf(after.file) }], publish_now: true };
      await clientOf(after.file)('POST', '/posts', { body });
      const delivery = await eventually(async () => (await deliveriesOf(after.file, caption))[0]);
      expect(delivery.signature_valid).toBe(true);
    },
  );

  it('ends cleanly, and then says nowhere that it is ready', async () => {
    const { end, stateDirectory } = await start();

    expect(await end('SIGTERM')).toBe(0);
    expect(existsSync(join(stateDirectory, 'service.json'))).toBe(false);
    expect(existsSync(join(stateDirectory, 'operator.json'))).toBe(false);
  });

  it('begins anew with --reset, and deletes nothing that is not its own', async () => {
    const before = await start();
    const id = await draftOn(before);
    await before.end('SIGTERM');
    writeFileSync(join(before.stateDirectory, 'mine.txt'), 'mine');

    const after = await start({ stateDirectory: before.stateDirectory, isReset: true });
    const call = clientOf(after.file);
    expect((await call('GET', `/posts/${id}`)).status).toBe(404);
    expect(
      (await call('GET', '/workspaces', { key: before.file.workspaces[0]?.api_keys.full ?? '' })).status,
    ).toBe(401);
    expect(readFileSync(join(before.stateDirectory, 'mine.txt'), 'utf8')).toBe('mine');
  });

  it('says in one line that its port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;

    const { code, output } = await runServiceProcess({ port, stateDirectory: ownDirectory });
    server.close();

    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^cannot start: port ${port} is taken: [^\\n]*\\n$`));
  });

  it('says in one line that its state directory is in use', async () => {
    const { stateDirectory } = await start();

    const { code, output } = await runServiceProcess({ stateDirectory });

    expect(code).toBe(1);
    expect(output).toMatch(/^cannot start: another service is running in [^\n]*\n$/);
  });

  it('says in one line that it does not know an option', async () => {
    const { code, output } = await runServiceProcess({ stateDirectory: ownDirectory, options: ['--rest'] });

    expect(code).toBe(1);
    expect(output).toBe('cannot start: --reset is the only option, got --rest\n');
  });

  it('shows a command that publishes, and tells only the owner the keys', async () => {
    const { output, file, stateDirectory } = await start();

    expect(output()).toContain(`curl -X POST ${file.base_url}/posts`);
    expect(output()).toContain(channelOf(file));
    const astray = await fetch(new URL('/posts', file.base_url), { method: 'POST' });
    expect(astray.status).toBe(404);
    const page = await (await fetch(new URL('/', file.base_url))).text();
    expect(page).toContain(`${file.inbox_url}/deliveries`);
    expect(page).not.toContain('spp_live');
    expect(existsSync(join(stateDirectory, 'logs'))).toBe(true);
  });

  it('refuses a function what its role does not allow', async () => {
    const local = await startService({
      port: 0,
      stateDirectory: ownDirectory,
      adjust: (model) => ({
        ...model,
        roles: model.roles.map((role) => ({
          ...role,
          statements: role.statements.map((statement) => ({
            ...statement,
            Action: statement.Action.filter((action) => action !== 'dynamodb:Query'),
          })),
        })),
      }),
    });
    const call = clientOf(local);

    expect((await call('GET', '/workspaces')).status).toBe(200);
    expect((await call('GET', '/channels')).status).toBe(500);
    const calls = local.edge.counts.report().calls;
    expect(calls.findLast(({ principal }) => principal === 'channels/list-channels')).toMatchObject({
      operation: 'Query',
      error: 'AccessDeniedException',
    });
    await local.stop();
  });
});
