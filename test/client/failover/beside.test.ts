import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failover } from '../../../src/client/failover/index.ts';
import { nodeTransport } from '../../../src/client/node/index.ts';
import { events, paginate } from '../../../src/client/stream/index.ts';
import { listen } from '../../../src/console/mock/node.ts';
import { createGuard, createVerifier } from '../../../src/enforce/guard/index.ts';
import { createClient, credentials, type TransportRequest } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';

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

describe.each(ways)('during failover over $name', ({ make }) => {
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

  test('a stream of events continues at the next address, with no event lost or twice', async () => {
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
  test('paginate continues at the next address, by relative links and by links of the address that answered', async () => {
    for (const isAbsolute of [false, true]) {
      const { mock, servers, urls } = await deployment();
      mock.route('GET', '/_db/:db/orders', ({ query, headers }) => {
        const at = Number(query.get('at') ?? 0);
        const base = isAbsolute ? `http://${headers.host}/_db/shop/orders` : '';
        return { body: { items: [at], next: at < 5 ? `${base}?at=${at + 1}` : null } };
      });
      await using client = createClient({
        url: urls[0] ?? '',
        database: 'shop',
        transport: failover(urls, { transport: make() }),
        credentials: credentials.bearer(await mock.tokens.issue({ user: 'alice' })),
      });
      const seen: unknown[] = [];
      // The cast: the body has no schema.
      const next = ({ body }: { body: unknown }) => (body as { next: string | null }).next;
      for await (const { body } of paginate(client.route('orders'), { next })) {
        seen.push((body as { items: unknown[] }).items[0]);
        if (seen.length === 3) await servers[0].close();
      }
      expect(seen).toEqual([0, 1, 2, 3, 4, 5]);
    }
  });

  test('a verifier fetches the keys from the next address', async () => {
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const mock = await createMock({ authentication: { keys: { active: privateKey } } });
    const servers = [await listen(mock), await listen(mock)] as const;
    onTestFinished(() => servers[1].close());
    await servers[0].close();
    const urls = servers.map(({ url }) => url);
    await using client = createClient({
      url: urls[0] ?? '',
      transport: failover(urls, { transport: make() }),
      credentials: credentials.bearer(await mock.tokens.issue({ user: 'svc' })),
    });
    const verify = createVerifier({ client });
    await verify.ready();
    expect(await verify(await mock.tokens.issue({ user: 'bob' }))).toMatchObject({ user: 'bob' });
  });
});

test('mocks in memory are addresses, too', async () => {
  const [down, up] = [await createMock(), await createMock()];
  for (const mock of [down, up]) mock.route('GET', '/ready', () => ({ status: mock === down ? 503 : 200, body: {} }));
  const addresses = [down, up].map((mock, index) => ({
    url: `http://mock-${index}.example`,
    transport: { send: async (url: string, request: TransportRequest) => mock.fetch(url, request) },
  }));
  const client = createClient({ url: 'http://mock-0.example', transport: failover(addresses) });
  const { url } = await client.absoluteRoute('ready').get();
  expect(url).toBe('http://mock-1.example/ready');
  expect([down.requests.length, up.requests.length]).toEqual([1, 1]);
});
