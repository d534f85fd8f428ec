import { generateKeyPairSync } from 'node:crypto';
import { createMock, type Mock } from 'arango-services/mock';

const allow = (action: string, resource = '*') =>
  ({ statements: [{ effect: 'Allow', actions: [action], resources: [resource] }] }) as const;

/** An asymmetric key: services verify tokens by its public half. */
function createKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** A platform for the service: alice may read and invoice orders, bob may read order 1. */
export async function createPlatform(active = createKey()): Promise<Mock> {
  const mock = await createMock({
    authentication: { keys: { active } },
    users: [
      { name: 'alice', password: 'pw' },
      { name: 'bob', password: 'pw' },
    ],
    policies: { one: allow('orders:read', 'order:1'), orders: allow('orders:*'), all: allow('*') },
    roles: { reader: { policies: ['one'] }, clerk: { policies: ['orders'] }, service: { policies: ['all'] } },
    bindings: [
      { user: 'alice', role: 'clerk', scope: allow('*') },
      { user: 'bob', role: 'reader', scope: allow('*') },
      // Following the pool streams needs permissions that only `*` matches.
      { user: 'orders-service', role: 'service', scope: allow('*') },
    ],
  });
  return mock;
}

/** The database: the requests that the service sends by the driver. */
export function addDatabase(mock: Mock) {
  const orders = new Map([
    ['1', { state: 'open', total: 12 }],
    ['2', { state: 'open', total: 30.5 }],
  ]);
  const positions = new Map<string, string>();
  const missing = { status: 404, body: { error: true, code: 404, errorNum: 1202, errorMessage: 'document not found' } };
  const documentOf = (collection: string, key: string, found: object | undefined) =>
    found ? { body: { _key: key, _id: `${collection}/${key}`, _rev: '_', ...found } } : missing;
  mock.route('GET', '/_db/shop/_api/document/orders/:id', ({ params: { id = '' } }) =>
    documentOf('orders', id, orders.get(id)),
  );
  mock.route('GET', '/_db/shop/_api/document/positions/:id', ({ params: { id = '' } }) => {
    const position = positions.get(id);
    return documentOf('positions', id, position === undefined ? undefined : { id: position });
  });
  mock.route('POST', '/_db/shop/_api/document/positions', ({ body }) => {
    const { _key, id } = body as { _key: string; id: string };
    positions.set(_key, id);
    return { status: 202, body: { _key, _id: `positions/${_key}`, _rev: '_' } };
  });
  // The only query of the service marks an order as paid.
  mock.route('POST', '/_db/shop/_api/cursor', ({ body }) => {
    const id = (body as { bindVars: { value0: string } }).bindVars.value0;
    const order = orders.get(id);
    if (order) orders.set(id, { ...order, state: 'paid' });
    return { status: 201, body: { result: [], hasMore: false, error: false, code: 201 } };
  });
  return { orders, positions };
}

/** Billing: writes invoices, and reports payments as they are made. */
export function addBilling(mock: Mock) {
  const payments: string[] = [];
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const eventOf = (id: number) => new TextEncoder().encode(`id: ${id}\ndata: {"order":"${payments[id - 1]}"}\n\n`);
  mock.service('billing', {
    '/invoices': { post: () => ({ status: 201, body: { number: 1 } }) },
    '/payments': {
      get({ request }) {
        let mine: ReadableStreamDefaultController<Uint8Array>;
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            mine = controller;
            open.add(mine);
            const first = Number(request.headers['last-event-id'] ?? 0) + 1;
            for (let id = first; id <= payments.length; id++) mine.enqueue(eventOf(id));
          },
          cancel: () => void open.delete(mine),
        });
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      },
    },
  });
  return {
    pay(order: string): void {
      payments.push(order);
      for (const controller of open) controller.enqueue(eventOf(payments.length));
    },
    /** Ends the streams, as a gateway does after a minute. */
    cut(): void {
      for (const controller of open) controller.close();
      open.clear();
    },
    get followers() {
      return open.size;
    },
  };
}
