import type { TestProject } from 'vitest/node';
import { listen } from '../../dist/mock/adapters/node/index.js';
import { createMock } from '../../dist/mock/index.js';
import { everyRoute } from '../support/every-route.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The mock with CORS for the page's origin. Below `orders`: `slow` never answers, `stalls` stops in mid-body,
     * `moved` redirects.
     */
    serverUrl: string;
    /** The same mock without CORS. */
    closedUrl: string;
    /** A mock of the gateway, with CORS and the host of the page, so that they share cookies. */
    gatewayUrl: string;
    /** A request for each route of a mock: method and path. */
    routes: readonly (readonly [string, string])[];
  }
}

function stalled(): Response {
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"never":')) });
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}

/** Serves the mock on two ports in Node, for the page. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const mock = await createMock({ authentication: { mode: 'None' } });
  mock.route('*', '/_db/:db/orders/slow', () => new Promise<never>(() => {}));
  mock.route('*', '/_db/:db/orders/stalls', stalled);
  mock.route('*', '/_db/:db/orders/moved', () => ({ status: 307, headers: { location: '/elsewhere?secret=1' } }));

  const cors = [`http://localhost:${project.config.api.port}`];
  const open = await listen(mock, { cors });
  const closed = await listen(mock);
  project.provide('serverUrl', open.url);
  project.provide('closedUrl', closed.url);

  const read = { effect: 'Allow', actions: ['orders:read'], resources: ['*'] } as const;
  const platform = await createMock({
    users: [{ name: 'alice', password: 'canary-password' }],
    policies: { read: { statements: [read] } },
    roles: { reader: { policies: ['read'] } },
    bindings: [{ user: 'alice', role: 'reader', scope: { statements: [{ ...read, actions: ['*'] }] } }],
  });
  const { port } = new URL((await listen(platform, { cors })).url);
  project.provide('gatewayUrl', `http://localhost:${port}`);
  project.provide('routes', (await everyRoute('Native')).all);
  return async () => {
    await mock[Symbol.asyncDispose]();
    await platform[Symbol.asyncDispose]();
  };
}
