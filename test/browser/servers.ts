import type { TestProject } from 'vitest/node';
import { listen } from '../../dist/mock/adapters/node/index.js';
import { createMock } from '../../dist/mock/index.js';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The mock with CORS for the page's origin. Below `orders`: `slow` never answers, `stalls` stops in mid-body,
     * `moved` redirects.
     */
    serverUrl: string;
    /** The same mock without CORS. */
    closedUrl: string;
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

  const open = await listen(mock, { cors: [`http://localhost:${project.config.api.port}`] });
  const closed = await listen(mock);
  project.provide('serverUrl', open.url);
  project.provide('closedUrl', closed.url);
  return () => mock[Symbol.asyncDispose]();
}
