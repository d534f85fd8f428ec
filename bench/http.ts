// Route against raw fetch, ky and arangojs over a real port. Goal, without a timeout: at most 1.30 times raw fetch one at a time, 1.25 at 16 at once.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Database } from 'arangojs';
import ky from 'ky';
import { Connection, Route } from '../dist/index.js';
import { type Contestant, compare, repeat, report } from './harness.ts';
import { payload } from './http/payload.ts';

type Call = () => Promise<unknown>;
interface Client {
  readonly name: string;
  readonly get: Call;
  readonly post: Call;
}

const json = { 'content-type': 'application/json' };
const timeout = 30_000;

/** The least that a deadline costs on `fetch`: a controller of the call's own and a timer that is cleared. */
async function withDeadline(url: string, init: RequestInit): Promise<unknown> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeout);
  try {
    return await (await fetch(url, { ...init, signal: controller.signal })).json();
  } finally {
    clearTimeout(timer);
  }
}

function clients(origin: string): Client[] {
  const url = `${origin}/_db/_system/orders/open`;
  const arangojs = new Database({ url: origin }).route('orders');
  const route = new Route(new Connection({ url: origin })).route('orders');
  const timed = route.with({ timeout });
  const post = () => ({ method: 'POST', headers: json, body: JSON.stringify(payload) });
  return [
    {
      name: 'raw fetch',
      get: async () => (await fetch(url)).json(),
      post: async () => (await fetch(url, post())).json(),
    },
    {
      name: 'raw fetch, own deadline',
      get: () => withDeadline(url, {}),
      post: () => withDeadline(url, post()),
    },
    { name: 'ky', get: () => ky.get(url).json(), post: () => ky.post(url, { json: payload }).json() },
    {
      name: 'arangojs',
      get: async () => (await arangojs.get('open')).parsedBody,
      post: async () => (await arangojs.post('open', payload)).parsedBody,
    },
    {
      name: 'Route',
      get: async () => (await route.get('open')).body,
      post: async () => (await route.post('open', payload)).body,
    },
    {
      name: 'Route, timeout',
      get: async () => (await timed.get('open')).body,
      post: async () => (await timed.post('open', payload)).body,
    },
  ];
}

/** A client that gives anything but the server's answer would be fast for the wrong reason. */
async function assertAnswers(all: readonly Client[]): Promise<void> {
  const expected = JSON.stringify(payload);
  for (const { name, get, post } of all) {
    for (const call of [get, post]) {
      if (JSON.stringify(await call()) !== expected) throw new Error(`${name} does not give the server's answer`);
    }
  }
}

export async function run(): Promise<void> {
  const server = fork(new URL('./http/server.ts', import.meta.url));
  try {
    // The cast: bench/http/server.ts sends its address as its first message.
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    const all = clients(`http://127.0.0.1:${port}`);
    await assertAnswers(all);
    for (const method of ['get', 'post'] as const) {
      for (const [atOnce, operations] of [
        [1, 60],
        [16, 320],
        [64, 640],
      ] as const) {
        const contestants = all.map(
          (client): Contestant => ({
            name: client.name,
            run: (count) => repeat(count, atOnce, client[method]),
          }),
        );
        report(
          `${method.toUpperCase()} of 1 kB JSON, ${atOnce} at once`,
          await compare(contestants, { operations, rounds: 31 }),
        );
      }
    }
  } finally {
    server.disconnect();
  }
}
