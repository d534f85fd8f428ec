import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { type Client, createClient, credentials } from '../dist/index.js';
import { createEvaluator } from '../dist/policy/index.js';
import { createReplica, type Replica } from '../dist/replica/index.js';
import { spread } from './harness.ts';
import { makeData, type Request, tenantScope } from './policy/data.ts';
import type { Found } from './replica/ready.ts';
import type { Order, Place } from './replica/server.ts';

const script = (name: string) => new URL(`./replica/${name}.ts`, import.meta.url).pathname;

/** A mock with this many bindings in a separate process. */
async function serve(bindings: number) {
  const child = fork(script('server'), [String(bindings)]);
  const [place] = (await once(child, 'message')) as [Place];
  return {
    place,
    /** Sends it a command. @returns its CPU time so far, in microseconds. */
    async tell(order: Order): Promise<number> {
      child.send(order);
      return ((await once(child, 'message')) as [number])[0];
    },
    stop: () => child.disconnect(),
  };
}

type Server = Awaited<ReturnType<typeof serve>>;

const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const million = (rate: number) => `${(rate / 1e6).toFixed(2)} M/s`;

/** Ready, memory and the cost of a change at this size. */
async function measureSize(bindings: number): Promise<void> {
  const server = await serve(bindings);
  const { address, token } = server.place;
  const changes = 1_000;
  const child: ChildProcess = fork(script('ready'), [address, token, String(bindings), String(changes)], {
    execArgv: ['--expose-gc'],
  });
  const before = await server.tell({});
  await once(child, 'message');
  const served = ((await server.tell({})) - before) / 1_000;
  await server.tell({ changes });
  const [found] = (await once(child, 'message')) as [Found];
  server.stop();
  console.log(
    `  ${bindings.toLocaleString('en').padStart(9)} bindings: ready in ${ms(found.readyMs)} (CPU: replica ${ms(found.cpuMs)}, mock ${ms(served)}), ${found.bytesPerBinding.toFixed(0)} bytes a binding, ` +
      `longest block ${ms(found.longestWorkMs)} of CPU without garbage collections (${ms(found.longestMs)} with them, ${ms(found.longestWallMs)} by the clock; before the first message, where modules are loaded, ${ms(found.startMs)} of CPU), a change ${found.changeUs.toFixed(0)} µs of CPU`,
  );
}

/** Decisions per second of wall time, including changes and all other work of the event loop. */
async function rate(
  decide: (request: Request) => unknown,
  requests: readonly Request[],
  wallMs: number,
): Promise<number> {
  const started = performance.now();
  let done = 0;
  for (let next = 0; performance.now() - started < wallMs; next = (next + 500) % requests.length) {
    for (let i = next; i < next + 500; i++) decide(requests[i % requests.length] as Request);
    done += 500;
    await setImmediate();
  }
  return (done * 1_000) / (performance.now() - started);
}

interface Together {
  readonly server: Server;
  readonly replica: Replica;
  readonly client: Client;
}

/** The still engine against the replica, without and with 100 changes a second. */
async function measureDecisions(data: ReturnType<typeof makeData>, { server, replica }: Together): Promise<void> {
  const still = createEvaluator(data, { fidelity: 'sidecar' });
  const hot = Array.from({ length: 1_000 }, (_, n) => data.request(n));
  // Other load on the machine affects a whole round, so shares are taken within one.
  const rows: Record<string, (readonly [rate: number, ofEngine: number])[]> = {
    'still engine': [],
    'replica, still': [],
    'replica, 100 changes/s': [],
  };
  for (let round = -3; round < 11; round++) {
    const engine = await rate((request) => still.evaluate(request), hot, 400);
    const quiet = await rate((request) => replica.evaluate(request), hot, 400);
    await server.tell({ perSecond: 100 });
    const busy = await rate((request) => replica.evaluate(request), hot, 1_000);
    await server.tell({ perSecond: 0 });
    if (round < 0) continue;
    rows['still engine']?.push([engine, 1]);
    rows['replica, still']?.push([quiet, quiet / engine]);
    rows['replica, 100 changes/s']?.push([busy, busy / engine]);
  }
  for (const [name, rates] of Object.entries(rows)) {
    const { median } = spread(rates.map(([rate]) => rate));
    const share = spread(rates.map(([, ofEngine]) => 100 * ofEngine));
    console.log(
      `  ${name.padEnd(24)} ${million(median).padStart(10)}  ${share.median.toFixed(0)}% of the still engine beside it (${share.p10.toFixed(0)} to ${share.p90.toFixed(0)})`,
    );
  }
}

/** Questions that were never asked, right after a policy was set again, against the same without the change. */
async function measureAfterPolicy(data: ReturnType<typeof makeData>, { replica, client }: Together): Promise<void> {
  const rates = { still: [] as number[], changed: [] as number[] };
  let n = 1_000_000;
  const fresh = () => Array.from({ length: 4_096 }, () => data.request(n++));
  const measure = (requests: readonly Request[]): number => {
    const started = performance.now();
    for (const request of requests) replica.evaluate(request);
    return (requests.length * 1_000) / (performance.now() - started);
  };
  for (let round = -3; round < 15; round++) {
    const [one, other] = [fresh(), fresh()];
    const name = `policy${(round + 10) * 7}`;
    const still = measure(one);
    const policy = data.policies.get(name);
    const changed = new Promise((resolve) => replica.on('change', resolve));
    if (policy !== undefined) await client.authorization.policies.update(name, policy);
    await changed;
    const after = measure(other);
    if (round < 0) continue;
    rates.still.push(still);
    rates.changed.push(after);
  }
  const [still, changed] = [spread(rates.still).median, spread(rates.changed).median];
  console.log(
    `  4096 new questions after one of 1 000 policies was set: ${million(changed)}, ${((100 * changed) / still).toFixed(0)}% of ${million(still)} without it`,
  );
}

/** The time from sending a write over HTTP until the replica decides by it. */
async function measureLatency({ replica, client }: Together): Promise<void> {
  const question = { user: 'flip', action: 'any:thing', resource: 'x' };
  const { bindings, policies, roles } = client.authorization;
  await policies.create('flip', tenantScope('*'));
  await roles.create('flip', { policies: ['flip'] });
  const taken: number[] = [];
  for (let i = 0; i < 200; i++) {
    const started = performance.now();
    const decided = new Promise<number>((resolve) => {
      const end = replica.on('change', () => {
        if (replica.isAllowed(question) !== (i % 2 === 0)) return;
        end();
        resolve(performance.now() - started);
      });
    });
    if (i % 2 === 0) await bindings.assign({ user: 'flip', role: 'flip', scope: tenantScope('*') });
    else await bindings.remove({ user: 'flip', role: 'flip' });
    taken.push(await decided);
  }
  const { median, p10, p90 } = spread(taken.slice(20));
  console.log(`  from the write to the changed decision: median ${ms(median)} (${ms(p10)} to ${ms(p90)})`);
}

async function measureHttp(data: ReturnType<typeof makeData>, { replica, client }: Together): Promise<void> {
  const requests = Array.from({ length: 300 }, (_, n) => data.request(n));
  const [remote, local]: number[][] = [[], []];
  for (let round = -1; round < 5; round++) {
    const started = performance.now();
    for (const request of requests) await client.authorization.evaluate(request);
    const http = (requests.length * 1_000) / (performance.now() - started);
    const inProcess = await rate((request) => replica.evaluate(request), requests, 200);
    if (round < 0) continue;
    remote?.push(http);
    local?.push(inProcess);
  }
  const [http, inProcess] = [spread(remote ?? []).median, spread(local ?? []).median];
  console.log(
    `  evaluate over HTTP, one after the other: ${http.toFixed(0)}/s; in process ${million(inProcess)}: ${Math.round(inProcess / http)} times as many`,
  );
}

/** A hundred replicas on one port: the time until the last of them decides by a change, and the server's cost. */
async function measureMany(): Promise<void> {
  const server = await serve(1_000);
  const { address, token, url } = server.place;
  const own = credentials.bearer(token);
  const client = createClient({ url, credentials: own });
  const before = await server.tell({});
  const replicas = Array.from({ length: 100 }, () => createReplica({ address, credentials: own }));
  await Promise.all(replicas.map((replica) => replica.ready()));
  const connected = await server.tell({});
  const taken: number[] = [];
  const rounds = 50;
  for (let i = 0; i < rounds; i++) {
    const started = performance.now();
    const last = Promise.all(
      replicas.map(
        (one) =>
          new Promise<void>((resolve) => {
            const end = one.on('change', () => {
              end();
              resolve();
            });
          }),
      ),
    );
    await client.authorization.policies.update('policy1', tenantScope(i % 2 === 0 ? '*' : 't1'));
    await last;
    taken.push(performance.now() - started);
  }
  const after = await server.tell({});
  const { median, p90 } = spread(taken);
  console.log(
    `  100 replicas (1 000 bindings each): from a write to the last changed decision ${ms(median)} (90%: ${ms(p90)}); the server's CPU ` +
      `${((connected - before) / 100_000).toFixed(1)} ms to make one ready, ${((after - connected) / rounds / 100).toFixed(0)} µs for each and change`,
  );
  await Promise.all(replicas.map((replica) => replica.close()));
  server.stop();
}

/**
 * 1 000 roles, 1 000 policies of 20 statements; the mock has a process of its own, and so has every replica whose
 * memory is measured.
 */
export async function run(): Promise<void> {
  console.log('\nsize');
  for (const bindings of [10_000, 100_000, 1_000_000]) await measureSize(bindings);

  console.log('\n100 000 bindings');
  const data = makeData(100_000);
  const server = await serve(100_000);
  const { address, token, url } = server.place;
  const own = credentials.bearer(token);
  const replica = createReplica({ address, credentials: own });
  await replica.ready();
  const together = { server, replica, client: createClient({ url, credentials: own }) };
  await measureDecisions(data, together);
  await measureAfterPolicy(data, together);
  await measureLatency(together);
  await measureHttp(data, together);
  await replica.close();
  server.stop();

  console.log('\nmany');
  await measureMany();
}
