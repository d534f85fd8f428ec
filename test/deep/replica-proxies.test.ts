import { execFile } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listenGrpc } from '../../src/console/mock/node.ts';
import { createReplica } from '../../src/enforce/replica/index.ts';
import { createClient, credentials } from '../../src/index.ts';
import { listenAt } from '../../src/mock/adapters/node/listening-address.ts';
import { createMock, type MockConfig } from '../../src/mock/index.ts';
import { question } from '../enforce/replica/support/replicas.ts';
import { everywhere } from '../enforce/replica/support/scripted-pool.ts';
import { isInstalled, type ProxyProgram, startProxy } from '../support/proxies.ts';

// Behind proxies that cut streams after 5 s of silence, and close connections after eight requests. Debian has both:
// apt-get install nginx haproxy.

async function start(config: MockConfig = {}) {
  const mock = await createMock({
    policies: { p: everywhere },
    roles: { r: { policies: ['p'] } },
    bindings: [{ user: 'alice', role: 'r', scope: everywhere }],
    ...config,
  });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const token = await mock.tokens.issue({ user: null, lifetime: '24h' });
  const own = credentials.bearer(token);
  const { authorization } = createClient({ ...mock.connection, credentials: own });
  return { mock, port: (await listenGrpc(mock)).port, token, own, authorization };
}

describe.each<ProxyProgram>(['nginx', 'haproxy'])('behind %s', (program) => {
  test('a replica follows every change for a minute, and stays live', async () => {
    if (!isInstalled(program)) {
      console.error(`NOT RUN: ${program} is not installed (apt-get install ${program})`);
      expect(process.env.CI, `${program} is not installed`).toBeFalsy();
      return;
    }
    const { port, own, authorization } = await start();
    await using proxy = await startProxy(program, port, { timeoutSeconds: 5, requests: 8 });
    await using replica = createReplica({ address: proxy.address, credentials: own });
    await replica.ready({ timeout: 10_000 });
    const states: string[] = [];
    replica.on('status', ({ state }) => states.push(state));
    let written = 0;
    const started = performance.now();
    while (performance.now() - started < 60_000) {
      const allowed = written++ % 2 === 1;
      if (allowed) await authorization.bindings.assign({ user: 'alice', role: 'r', scope: everywhere });
      else await authorization.bindings.remove({ user: 'alice', role: 'r' });
      await expect.poll(() => replica.isAllowed(question), { timeout: 10_000 }).toBe(allowed);
      // Sometimes a pause in which only empty messages keep the streams open.
      await new Promise((resolve) => setTimeout(resolve, written % 10 === 0 ? 7_000 : 100));
    }
    expect([written > 30, states]).toEqual([true, []]);
  });
});

test('a proxy that cuts every connection each 5 s costs less than 5% of a core at 100 000 bindings', async () => {
  const bindings = Array.from({ length: 100_000 }, (_, n) => ({ user: `u${n}`, role: 'r', scope: everywhere }));
  const { mock, port, token } = await start({ bindings });
  const address = await cutting(port, 5_000);
  const { cpuMs, wallMs, states } = await inOwnProcess(address, token);
  // The first read does not count.
  const again = mock.requests.filter(({ path }) => path.endsWith('/GetPolicy')).length - 1;
  console.log(`${cpuMs.toFixed(0)} ms of CPU in ${wallMs.toFixed(0)} ms; the state was read again ${again} times`);
  expect(states).toEqual(['live']);
  // Within 5 s after the first cut, then often enough to take 1/200 of the time.
  expect(again).toBeGreaterThanOrEqual(1);
  expect(cpuMs / wallMs).toBeLessThan(0.05);
});

/** The CPU time of a replica of the built package once it is live. */
async function inOwnProcess(address: string, token: string) {
  const code = `
    import { setTimeout as later } from 'node:timers/promises';
    import { credentials } from './dist/index.js';
    import { createReplica } from './dist/replica/index.js';
    const replica = createReplica({ address: '${address}', credentials: credentials.bearer('${token}') });
    const states = [];
    replica.on('status', ({ state }) => states.push(state));
    await replica.ready();
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    await later(240_000);
    const { user, system } = process.cpuUsage(cpu);
    console.log(JSON.stringify({ cpuMs: (user + system) / 1_000, wallMs: performance.now() - started, states }));
    await replica.close();`;
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { cwd });
  return JSON.parse(stdout) as { cpuMs: number; wallMs: number; states: string[] };
}

/** A proxy that cuts every connection after some time. */
async function cutting(upstream: number, ms: number): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(upstream, '127.0.0.1');
    for (const one of [near, far]) {
      sockets.add(one);
      one.on('error', () => {});
    }
    near.pipe(far).pipe(near);
    setTimeout(() => near.resetAndDestroy(), ms);
  });
  const { port } = await listenAt(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `127.0.0.1:${port}`;
}
