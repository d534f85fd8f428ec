import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failover } from '../../src/failover/index.ts';
import { createGuard } from '../../src/guard/index.ts';
import { createClient, credentials } from '../../src/index.ts';
import { listen } from '../../src/mock/adapters/node/index.ts';
import { createMock } from '../../src/mock/index.ts';
import { nodeTransport } from '../../src/node/index.ts';
import { events } from '../../src/stream/index.ts';

// What is built on a client, over a client with several addresses.

const allow = (action: string) => ({ effect: 'Allow', actions: [action], resources: ['*'] }) as const;

/** A deployment at two addresses, with alice, who may read orders. */
async function deployment() {
  const mock = await createMock({
    users: [{ name: 'alice', password: 'canary-password' }],
    policies: { read: { statements: [allow('orders:read')] } },
    roles: { reader: { policies: ['read'] } },
    bindings: [{ user: 'alice', role: 'reader', scope: { statements: [allow('*')] } }],
  });
  const servers = [await listen(mock), await listen(mock)] as const;
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await mock[Symbol.asyncDispose]();
  });
  return { mock, servers, urls: servers.map(({ url }) => url) };
}

const ways = [
  { name: 'fetch', make: () => undefined },
  { name: 'nodeTransport', make: () => nodeTransport() },
];

describe.each(ways)('over $name', ({ make }) => {
  test('a guard keeps deciding when an address goes, and denies nothing more and nothing less', async () => {
    const { mock, servers, urls } = await deployment();
    const transport = failover(urls, { transport: make() });
    await using client = createClient({
      url: urls[0] ?? '',
      transport,
      credentials: credentials.login({ username: 'alice', password: 'canary-password' }),
    });
    const guard = createGuard(client);
    const token = await mock.tokens.issue({ user: 'alice' });
    const request = new Request('http://service.example/', { headers: { authorization: `Bearer ${token}` } });
    const ask = async () => {
      const { items } = await guard.checkMany(request, [
        { action: 'orders:read', resource: 'orders:7' },
        { action: 'orders:write', resource: 'orders:7' },
      ]);
      const one = await guard.check(request, { action: 'orders:write', resource: 'orders:7' });
      return [...(items ?? []), one].map(({ allowed }) => allowed);
    };
    expect(await ask()).toEqual([true, false, false]);
    const loops = Array.from({ length: 8 }, async (_, index) => {
      const found: unknown[] = [];
      for (let i = 0; i < 20; i++) {
        if (index === 0 && i === 5) await servers[0].close();
        found.push(...(await ask()));
      }
      return found;
    });
    const answers = (await Promise.all(loops)).flat();
    expect(answers.filter((isAllowed) => isAllowed)).toHaveLength(160);
    expect(answers.filter((isAllowed) => !isAllowed)).toHaveLength(320);
  });

  test('a stream of events goes on at the next address, with no event lost or twice', async () => {
    const { mock, servers, urls } = await deployment();
    let opened = 0;
    mock.route('GET', '/_db/:db/feed', ({ headers }) => {
      const turn = opened++;
      const first = Number(headers['last-event-id'] ?? 0) + 1;
      return {
        headers: { 'content-type': 'text/event-stream' },
        body: (async function* () {
          yield { data: first, id: String(first), retry: 10 };
          for (let id = first + 1; id <= 10; id++) {
            // The first stream stands still, so that its address goes in the middle.
            if (turn === 0 && id === 5) await new Promise(() => {});
            yield { data: id, id: String(id) };
            await sleep(5);
          }
        })(),
      };
    });
    await using client = createClient({
      url: urls[0] ?? '',
      transport: failover(urls, { transport: make() }),
      credentials: credentials.bearer(await mock.tokens.issue({ user: 'alice' })),
    });
    const route = client.route('feed').with({ responseType: 'stream', timeout: 0 });
    const origins: string[] = [];
    const resume = async (headers = {}) => {
      const { body, url } = await route.with({ headers }).get();
      origins.push(new URL(url).origin);
      return body;
    };
    const seen: number[] = [];
    for await (const { data } of events(undefined, { resume })) {
      seen.push(Number(data));
      if (data === '4') await servers[0].close();
      if (data === '10') break;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(origins).toEqual(urls);
  });
});
