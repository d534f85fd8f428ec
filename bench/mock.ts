// The mock: evaluate and echo through `mock.fetch` within 3 times a stub that answers a constant; evaluate over a port,
// with the log on, at least 0.75 of bare node:http's requests a second and at most 1.35 of its CPU time; ES256 tokens at
// least 1.5 times as many as oauth2-mock-server; a start in under 50 ms.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createMock } from '../dist/mock/index.js';
import { type Contestant, compare, repeat, report, spread } from './harness.ts';
import { calls, config } from './mock/config.ts';
import { postBytes, sendMany } from './mock/load.ts';

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const headers = { 'content-type': 'application/json' };

async function throughFetch(): Promise<void> {
  const mock = await createMock(config);
  const stub: Fetch = async () => new Response(calls.evaluate.answer, { status: 200, headers });
  const contestant = (name: string, fetch: Fetch, { path, body }: { path: string; body: string }): Contestant => ({
    name,
    run: (operations) =>
      repeat(operations, 1, async () => {
        const response = await fetch(`http://mock.test${path}`, { method: 'POST', headers, body });
        if (response.status !== 200) throw new Error(`${name} answered ${response.status}`);
        return response.json();
      }),
  });
  const contestants = [
    contestant('a stub', stub, calls.evaluate),
    contestant('mock.fetch evaluate', mock.fetch, calls.evaluate),
    contestant('mock.fetch echo', mock.fetch, calls.echo),
  ];
  report('In the process, answer read as JSON', await compare(contestants, { operations: 3_000, rounds: 21 }));
}

interface Target {
  readonly name: string;
  /** The server of bench/mock/server.ts. */
  readonly kind: string;
  readonly request: Buffer;
  /** Text that the response must contain: a server with another response would be fast for the wrong reason. */
  readonly holds: string;
}

/** A server in a separate process. */
class Server {
  readonly #child: ChildProcess;
  readonly port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(kind: string): Promise<Server> {
    const child = fork(new URL('./mock/server.ts', import.meta.url), [kind]);
    // The cast: bench/mock/server.ts sends its port as its first message.
    const [port] = (await once(child, 'message')) as [number];
    return new Server(child, port);
  }

  /** Microseconds of CPU time so far. */
  async cpu(): Promise<number> {
    this.#child.send('cpu');
    // The cast: its reply to any message.
    const [{ user, system }] = (await once(this.#child, 'message')) as [NodeJS.CpuUsage];
    return user + system;
  }

  stop(): void {
    this.#child.disconnect();
  }
}

/** Compares servers, and prints what a request costs each of them: other programs change the rates, but hardly that. */
async function overPorts(title: string, targets: readonly Target[], operations: number): Promise<void> {
  const atOnce = 16;
  const servers: Server[] = [];
  const counts = targets.map(() => 0);
  const contestants: Contestant[] = [];
  try {
    for (const [i, { name, kind, request, holds }] of targets.entries()) {
      const server = await Server.start(kind);
      servers.push(server);
      const answer = await sendMany(server.port, request, 1, 1);
      if (!answer.startsWith('HTTP/1.1 200 ') || !answer.includes(holds)) throw new Error(`${name} answered otherwise`);
      const run = async (count: number): Promise<void> => {
        await sendMany(server.port, request, atOnce, count);
        counts[i] = (counts[i] ?? 0) + count;
      };
      await run(operations);
      contestants.push({ name, run });
    }
    counts.fill(0);
    const before = await Promise.all(servers.map((server) => server.cpu()));
    const measured = await compare(contestants, { operations, rounds: 21 });
    const after = await Promise.all(servers.map((server) => server.cpu()));
    const costs = servers.map((_, i) => ((after[i] ?? 0) - (before[i] ?? 0)) / (counts[i] ?? 1));
    // The harness measures the CPU time of this process, which is the load generator's; the server's is of interest.
    report(title, measured);
    for (const [i, { name }] of targets.entries()) {
      const cost = costs[i] ?? Number.NaN;
      const ratio = (cost / (costs[0] ?? Number.NaN)).toFixed(2);
      console.log(`  ${name}: ${cost.toFixed(1)} µs of the server's CPU time a request (${ratio}×)`);
    }
  } finally {
    for (const server of servers) server.stop();
  }
}

async function starts(): Promise<void> {
  const load: number[] = [];
  const make: number[] = [];
  for (let i = 0; i < 11; i++) {
    const child = fork(new URL('./mock/start.ts', import.meta.url));
    // The cast: bench/mock/start.ts sends this as its only message.
    const [times] = (await once(child, 'message')) as [{ load: number; make: number }];
    load.push(times.load);
    make.push(times.make);
    if (child.exitCode === null) await once(child, 'exit');
  }
  const ms = (values: readonly number[]): string => {
    const { median, p10, p90 } = spread(values);
    return `${median.toFixed(1)} ms (${p10.toFixed(1)} to ${p90.toFixed(1)})`;
  };
  console.log(
    `\nStart without configuration, in a fresh process\n  loading ./mock   ${ms(load)}\n  createMock()     ${ms(make)}`,
  );
}

export async function run(): Promise<void> {
  await throughFetch();
  const { evaluate, echo } = calls;
  const ports: readonly Target[] = [
    { name: 'bare node:http', kind: 'bare', request: postBytes(evaluate.path, evaluate.body), holds: evaluate.answer },
    {
      name: 'the port, evaluate',
      kind: 'mock',
      request: postBytes(evaluate.path, evaluate.body),
      holds: evaluate.answer,
    },
    { name: 'the port, echo', kind: 'mock', request: postBytes(echo.path, echo.body), holds: 'order-000001' },
  ];
  await overPorts('Over a port, 16 at once', ports, 10_000);
  const createToken = '/_integration/authn/v1/createToken';
  const grant = 'grant_type=client_credentials&scope=dev';
  const tokens: readonly Target[] = [
    {
      name: 'oauth2-mock-server',
      kind: 'oauth',
      request: postBytes('/token', grant, 'application/x-www-form-urlencoded'),
      holds: '"access_token":"ey',
    },
    { name: 'createToken', kind: 'es256', request: postBytes(createToken, '{"user":"alice"}'), holds: '"token":"ey' },
  ];
  await overPorts('ES256 tokens over a port, 16 at once', tokens, 500);
  await starts();
}
