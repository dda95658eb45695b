import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import workers from 'node:worker_threads';
import type { OutsideWorld } from './outside-world.ts';

const world: OutsideWorld = JSON.parse(new URL(import.meta.url).searchParams.get('world') ?? '');

if (workers.isMainThread) loadInWorkers();
else replaceNetwork();
syncBuiltinESMExports();

/** Functions run in workers, which get nothing of their process's options. */
function loadInWorkers(): void {
  workers.Worker = class extends workers.Worker {
    constructor(path: string | URL, options: workers.WorkerOptions = {}) {
      super(path, { ...options, execArgv: [...(options.execArgv ?? []), '--import', import.meta.url] });
    }
  };
}

function replaceNetwork(): void {
  const absent = () => Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  dns.Resolver.prototype.resolve4 = (async (name: string) => {
    const addresses = world.names[name.replace(/\.$/, '')];
    if (!addresses) throw absent();
    return [...addresses];
  }) as typeof dns.Resolver.prototype.resolve4;
  dns.Resolver.prototype.resolve6 = async () => {
    throw absent();
  };

  const connect = net.connect.bind(net);
  net.connect = ((options: net.TcpNetConnectOpts, ...rest: []) => {
    const { host = '', port } = options;
    if (port !== 443) return connect(options, ...rest);
    if (world.silent.includes(host)) return new net.Socket();
    const socket = connect({ host: '127.0.0.1', port: world.routes[host] ?? world.canary });
    // As if the address had been reached.
    Object.defineProperty(socket, 'remoteAddress', { get: () => host });
    return socket;
  }) as typeof net.connect;
}
