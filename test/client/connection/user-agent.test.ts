import { expect, test } from 'vitest';
import { manifest } from '../../../scripts/lib/package.ts';
import { runtime as fetchRuntime } from '../../../src/client/connection/fetch-transport.ts';
import { runtime as pageRuntime } from '../../../src/client/connection/ky-runtime.ts';
import { nodeTransport } from '../../../src/client/node/index.ts';
import { userAgent } from '../../../src/client/runtimes/user-agent.ts';
import { createClient } from '../../../src/index.ts';
import { serve } from '../../support/server.ts';

const transports = { fetch: () => ({}), nodeTransport: () => ({ transport: nodeTransport() }) };

test('the User-Agent has the version of package.json, and the runtime', () => {
  expect(userAgent()).toBe(`arango-services/${manifest.version} node/${process.versions.node}`);
});

test.each(Object.entries(transports))(
  'over %s a request has the name of the package; the caller’s wins',
  async (_, own) => {
    const { url, seen } = await serve();
    await using client = createClient({ url, ...own() });
    await client.route('orders').get();
    await client.route('orders', { 'user-agent': 'billing/2' }).get();
    expect(seen.map(({ headers }) => headers.get('user-agent'))).toEqual([[userAgent()], ['billing/2']]);
  },
);

test('a caller’s own fetch gets no header that the caller did not set', async () => {
  const sent: unknown[] = [];
  const fetch = async (_url: string, { headers }: RequestInit) => {
    sent.push(headers);
    return Response.json({});
  };
  await using client = createClient({ url: 'http://a.test', fetch });
  await client.route('orders').get();
  expect(JSON.stringify(sent)).not.toContain('user-agent');
});

// A browser would ask the server with a preflight before it sends the header to another origin.
test.each([
  ['with ky', pageRuntime],
  ['without ky', fetchRuntime],
])('a page’s transport, %s, sets none', async (_, runtime) => {
  const { url, seen } = await serve();
  const request = { method: 'GET', headers: {}, redirect: 'manual' } as const;
  await (await runtime.transport(undefined).send(url, request)).text();
  expect(seen[0]?.headers.get('user-agent')).not.toEqual([userAgent()]);
});
