/**
 * Modules whose types are inferred, by the subpath that they import: a compiler that writes their
 * declarations has to name types that other subpaths export. check:types compiles each by itself.
 */
export const emittedUsage: Readonly<Record<string, string>> = {
  routes: `
import { createRouteClient } from 'arango-services/routes';
export const route = createRouteClient({ url: 'http://localhost:8529' }).route('orders');
export const patient = route.with({ timeout: 30_000 });
export const read = (id: string) => route.get(['orders', id]);
export const close = (id: string) => route.with({ allowStatus: [404] }).get(['orders', id]);
`,
  failover: `
import { failover } from 'arango-services/failover';
export const transport = failover(['http://localhost:8529']);
export const { send } = transport;
`,
  openapi: `
import { typed } from 'arango-services/openapi';
interface paths {
  '/orders/{id}': {
    get: {
      parameters: { path: { id: string }; query?: { expand?: string } };
      responses: { 200: { content: { 'application/json': { id: string } } }; 404: { content?: never } };
    };
    delete: { parameters: { path: { id: string } }; responses: { 204: { content?: never } } };
  };
}
export const orders = typed<paths>({} as never);
export const { get, isError, delete: remove } = orders;
export const read = (id: string) => orders.get('/orders/{id}', { path: { id }, allowStatus: [404] });
export const readText = (id: string) => orders.get('/orders/{id}', { path: { id }, responseType: 'text' });
export const readAny = <P extends keyof paths>(path: P) => orders.get(path, {} as never);
`,
  stream: `
import { createRouteClient } from 'arango-services/routes';
import { events, paginate, progress, readLines } from 'arango-services/stream';
const route = createRouteClient({ url: 'http://localhost:8529' }).route('orders');
export const pages = paginate(route, { next: () => undefined });
export const upload = progress(() => new ReadableStream<Uint8Array>(), () => undefined);
export const changes = events(undefined);
export const lines = readLines;
`,
  guard: `
import { createGuard, guardOperation, operationGuards, verifyToken } from 'arango-services/guard';
interface paths { '/orders/{id}': { get: { parameters: { path: { id: string } }; responses: object } } }
export const guard = createGuard({} as never, { onDecision: () => undefined });
export const check = (request: Request) => guard.check(request, { action: 'orders:read', resource: 'orders' });
export const verify = (token: string) => verifyToken(token, {} as never);
export const operations = operationGuards<paths>(guard, { paths: { '/orders/{id}': {} } });
export const one = operations.for('GET /orders/{id}').check;
export const all = guardOperation<paths>(guard, { paths: { '/orders/{id}': {} } });
`,
  replica: `
import { createReplica } from 'arango-services/replica';
export const replica = createReplica({ address: '127.0.0.1:9201', credentials: {} as never });
export const evaluator = replica.evaluator();
export const { explain, evaluate, evaluateMany, status, on } = replica;
`,
  permissions: `
import { answerWhoCan, apply, explainAccess, plan, readPermissions, readState } from 'arango-services/permissions';
export const state = await readState({} as never, {} as never);
export const { policies, bindings, fidelity } = state;
export const file = await readPermissions('permissions.yaml', {} as never);
export const whole = { ...plan(state, file) };
export const who = answerWhoCan(state, { action: 'orders:read', resource: 'orders' });
export const { explanation } = explainAccess(state, {} as never);
export const applied = apply({} as never, plan(state, file));
`,
  analysis: `
import { compare, grants, replay, resourceFilter, whoCan } from 'arango-services/analysis';
export const granted = grants({}, { user: 'alice' });
export const holders = whoCan({}, { action: 'orders:read', resource: 'orders' });
export const compared = compare({}, {});
export const filter = resourceFilter({}, {} as never);
export const changes = replay({} as never, {} as never);
`,
  'mock/node': `
import { listen, listenGrpc, mockPool } from 'arango-services/mock/node';
export const server = await listen({} as never);
export const { connection } = server;
export const pool = mockPool({} as never);
export const { open } = pool;
export const grpc = listenGrpc;
`,
  mock: `
import { createMock } from 'arango-services/mock';
export const mock = await createMock();
export const { connection, explain, requests, service } = mock;
export const snapshot = mock.snapshot();
`,
};
