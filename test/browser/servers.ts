import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers the page's origin with CORS; `/echo`, `/slow` (headers never come), `/stalls` (the body never ends), `/moved`. */
    serverUrl: string;
    /** Answers everything, without CORS. */
    closedUrl: string;
  }
}

async function listen(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // The cast: a server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

const cors: RequestListener = (request, response) => {
  response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
  response.setHeader('access-control-allow-headers', 'content-type, x-tenant, authorization');
  response.setHeader('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE');
  if (request.method === 'OPTIONS') return void response.writeHead(204).end();
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server.test');
  const name = pathname.split('/').at(-1);
  if (name === 'slow') return;
  if (name === 'moved') return void response.writeHead(307, { location: '/elsewhere?secret=1' }).end();
  response.setHeader('content-type', 'application/json');
  if (name === 'stalls') return void response.write('{"never":');
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    const { method, headers } = request;
    const body: unknown = text === '' ? null : JSON.parse(text);
    const query = Object.fromEntries(searchParams);
    response.end(JSON.stringify({ method, path: pathname, query, tenant: headers['x-tenant'] ?? null, body }));
  });
};

/** Servers in Node for the page to talk to, each on a port of its own. */
export async function setup(project: TestProject): Promise<() => void> {
  const open = await listen(cors);
  const closed = await listen((_request, response) => response.end('{}'));
  project.provide('serverUrl', open.url);
  project.provide('closedUrl', closed.url);
  return () => {
    open.close();
    closed.close();
  };
}
