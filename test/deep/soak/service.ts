// A service with everything of issue 39 at once: guard, verifier, replica, events with resume, uploads. The soak bundles
// it and starts it as a process; argv[2] is a `SoakPlace` as JSON.
import { getEventListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nodeTransport } from '../../../src/client/node/index.ts';
import { events } from '../../../src/client/stream/index.ts';
import { createGuard, createVerifier, toPlain } from '../../../src/enforce/guard/index.ts';
import { createReplica } from '../../../src/enforce/replica/index.ts';
import { createClient, credentials, isArangoServicesError } from '../../../src/index.ts';
import type { Refusal, SoakPlace, SoakSample } from './types.ts';

setFlagsFromString('--expose-gc');
// The cast: the flag above defines it.
const collect = runInNewContext('gc') as () => void;

const { platform, address, billing, password, way }: SoakPlace = JSON.parse(process.argv[2] ?? '');
const transport = () => (way === 'nodeTransport' ? { transport: nodeTransport({ keepAliveMs: 1_000 }) } : {});
const warnings: string[] = [];
process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`));

const stopping = new AbortController();
const client = createClient({
  url: platform,
  credentials: credentials.login({ username: 'service', password }),
  timeout: 5_000,
  ...transport(),
});
const called = createClient({ url: billing, timeout: 2_000, signal: stopping.signal, ...transport() });
const authenticate = createVerifier({ client });
const replica = createReplica({
  address,
  url: platform,
  credentials: credentials.login({ username: 'service', password }),
  authenticate,
});
const guard = createGuard(replica);
let seen = 0;

async function follow(): Promise<void> {
  const route = called.route().with({ responseType: 'stream', timeout: 0, idleTimeoutMs: 5_000 });
  const resume = async (headers: Readonly<Record<string, string>>) =>
    (await route.with({ headers }).get('events')).body;
  for await (const { data } of events(undefined, { resume, retryMs: 100, longestRetryMs: 500 })) if (data) seen += 1;
}

/** The body of a request, whose socket stays open for the answer if the upload fails. */
const chunksOf = (request: IncomingMessage): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }),
});

/** The reason of a refusal, as the documentation names it. */
const reasonOf = (error: unknown): Refusal =>
  isArangoServicesError(error)
    ? {
        code: error.code,
        cause: (error.cause as { code?: string } | undefined)?.code,
        status: (error as { status?: number }).status,
      }
    : { code: String(error) };

function send(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/sample') return send(response, 200, sample());
  if (request.url === '/ready') {
    await Promise.all([guard.ready({ timeout: 5_000 }), authenticate.ready({ timeout: 5_000 })]);
    return send(response, 200, {});
  }
  const access = await guard.check(request, { action: 'orders:read', resource: 'orders' });
  if (!access.allowed) {
    request.resume();
    const reason: Refusal = { code: `guard ${access.status}` };
    return send(response, access.status, reason, access.headers);
  }
  try {
    const path = request.url?.slice(1) ?? '';
    const { body } =
      request.method === 'POST'
        ? await called.route().post(path, chunksOf(request), { 'content-type': 'application/octet-stream' })
        : await called.route().with({ retry: 1 }).get(path);
    send(response, 200, body);
  } catch (error) {
    request.resume();
    const { status, headers } = toPlain(error);
    send(response, status, reasonOf(error), headers);
  }
}

function sample(): SoakSample {
  collect();
  collect();
  const handles: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) handles[name] = (handles[name] ?? 0) + 1;
  const listeners =
    getEventListeners(stopping.signal, 'abort').length +
    process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return {
    handles,
    listeners,
    heap: process.memoryUsage().heapUsed,
    events: seen,
    warnings,
    state: replica.status.state,
  };
}

await replica.ready({ timeout: 20_000 });
const following = follow().catch(reasonOf);
const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    if (!response.headersSent) send(response, 500, reasonOf(error));
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.once('SIGTERM', async () => {
  const idle = new Promise((done) => server.close(done));
  await Promise.race([idle, new Promise((done) => setTimeout(done, 3_000).unref())]);
  server.closeAllConnections();
  await Promise.all([client.close({ graceMs: 1_000 }), called.close({ graceMs: 1_000 }), replica.close()]);
  console.log(JSON.stringify(await following));
});
