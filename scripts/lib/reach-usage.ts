/** A project that uses every way to reach a service in one module: compiled by check:types under each TypeScript. */
export const reachUsage = `
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createClient, credentials } from 'arango-services';
import { failover } from 'arango-services/failover';
import { superuser } from 'arango-services/node';
import { typed } from 'arango-services/openapi';
import { events, paginate, progress } from 'arango-services/stream';

interface Order { id: number; total: number }
interface paths {
  '/files/{name}': {
    put: {
      parameters: { path: { name: string } };
      requestBody: { content: { 'application/octet-stream': string } };
      responses: { 204: { content?: never } };
    };
  };
  '/orders': {
    get: {
      parameters: { query?: { limit?: number; cursor?: string } };
      responses: { 200: { content: { 'application/json': { items: Order[]; cursor?: string } } } };
    };
  };
  '/orders/changes': { get: { responses: { 200: { content: { 'text/event-stream': string } } } } };
}

export async function main(): Promise<number[]> {
  const url = 'http://localhost:8529';
  const client = createClient({
    url,
    transport: failover([url, 'http://localhost:8530']),
    credentials: credentials.login({ username: 'root', password: 'p', via: 'database' }),
  });
  const operator = createClient({ url, credentials: superuser({ secretFile: '/etc/secret' }) });
  const stop: () => void = client.onToken((token) => console.log(token.length));
  const token: string = await operator.freshToken();

  const orders = typed<paths>(client.service('orders'));
  async function* rows() {
    yield 'a row';
  }
  const path = { name: token };
  await orders.put('/files/{name}', { path, body: rows(), idleTimeoutMs: 5_000, maxBytes: 10 });
  await orders.put('/files/{name}', { path, body: Readable.from(['a']) });
  await orders.put('/files/{name}', { path, body: new ReadableStream<Uint8Array>() });
  await orders.put('/files/{name}', { path, body: progress(() => createReadStream('a'), () => undefined), retry: 2 });
  const ids: number[] = [];
  const pages = paginate(orders, '/orders', {
    query: { limit: 5 },
    next: ({ body }) => body.cursor && { cursor: body.cursor },
  });
  for await (const { body } of pages) ids.push(...body.items.map(({ id }) => id));
  for await (const { data } of events(orders, '/orders/changes', { timeout: 0 })) console.log(data);
  // @ts-expect-error a body that the document does not have
  await orders.put('/files/{name}', { path, body: { a: 1 } });
  // @ts-expect-error an option that the login does not have
  credentials.login({ username: 'root', password: 'p', via: 'plain' });
  stop();
  return ids;
}
`;
