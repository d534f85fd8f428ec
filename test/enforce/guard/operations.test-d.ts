import { expectTypeOf, test } from 'vitest';
import { allowedOperations, policyForOperations } from '../../../src/client/openapi/index.ts';
import { createGuard, guardOperation, operationGuards } from '../../../src/enforce/guard/index.ts';
import { createClient } from '../../../src/index.ts';
import type { paths } from '../../client/openapi/documents/orders.d.ts';
import document from '../../client/openapi/documents/orders.json' with { type: 'json' };

const client = createClient({ url: 'http://service.test' });
const guard = createGuard(client);

/** Only tsc reads these. */
const never = (calls: () => unknown): void => void calls;

test('the operation of an access tells the paths of the document apart', () => {
  never(async () => {
    const check = guardOperation<paths>(guard, document, { basePath: '/api' });
    const access = await check(new Request('http://service.test/api/orders/7'));
    if (!access.allowed) return access.response;
    if (access.operation.path === '/orders/{id}') {
      expectTypeOf(access.operation.parameters).toEqualTypeOf<{ readonly id: string }>();
      expectTypeOf(access.operation.method).toEqualTypeOf<'get' | 'patch' | 'delete'>();
    }
    // @ts-expect-error a path that the document does not have
    if (access.operation.path === '/order/{id}') return undefined;
    // @ts-expect-error a method that the path does not have
    if (access.operation.path === '/health' && access.operation.method === 'delete') return undefined;
    return undefined;
  });
});

test('a document without a path of the types does not compile', () => {
  never(() => {
    const { '/health': _, ...others } = document.paths;
    // @ts-expect-error a path is missing
    guardOperation<paths>(guard, { paths: others });
    // @ts-expect-error a misspelt option
    guardOperation<paths>(guard, document, { base: '/api' });
    guardOperation(guard, { paths: others });
  });
});

test('operations are named by the paths of the document', () => {
  never(async () => {
    policyForOperations<paths>(document, [{ method: 'get', path: '/orders/{id}' }]);
    // @ts-expect-error an unknown path
    policyForOperations<paths>(document, [{ method: 'get', path: '/order/{id}' }]);
    // @ts-expect-error the path has no such method
    policyForOperations<paths>(document, [{ method: 'put', path: '/orders/{id}' }]);
    const [first] = await allowedOperations<paths>(client, document, { path: { id: 7 } });
    // @ts-expect-error an unknown path
    if (first?.path === '/order/{id}') return undefined;
    return undefined;
  });
});

const request = new Request('http://service.test/orders/7');

test('the keys of operations are methods and paths of the document', () => {
  never(() => {
    const operations = operationGuards<paths>(guard, document);
    operations.for('GET /orders/{id}');
    operations.for('PUT /orders/{id}/note');
    // @ts-expect-error an unknown path
    operations.for('GET /order/{id}');
    // @ts-expect-error the path has no such method
    operations.for('PUT /orders/{id}');
    // @ts-expect-error the method is in upper case
    operations.for('get /orders/{id}');
    // @ts-expect-error no method
    operations.for('/orders/{id}');
    const { '/health': _, ...others } = document.paths;
    // @ts-expect-error a path is missing
    operationGuards<paths>(guard, { paths: others });
    expectTypeOf(operations.unguarded()[0]).toExtend<string | undefined>();
    // @ts-expect-error not a key of the document
    if (operations.unguarded()[0] === 'GET /order/{id}') return;
  });
});

test('the parameters of a path are needed, as text, numbers or booleans', () => {
  never(async () => {
    const operations = operationGuards<paths>(guard, document);
    const getOrder = operations.for('GET /orders/{id}');
    const access = await getOrder.check(request, { params: { id: 7 } });
    if (!access.allowed) return access.response;
    expectTypeOf(access.operation.path).toEqualTypeOf<'/orders/{id}'>();
    expectTypeOf(access.operation.method).toEqualTypeOf<'get'>();
    expectTypeOf(access.operation.parameters).toEqualTypeOf<{ readonly id: string }>();
    const parsed: { id: string; other: string } = { id: '7', other: 'x' };
    await getOrder.check(request, { params: parsed });
    await getOrder.check(request.headers, { params: parsed });
    // @ts-expect-error the parameter is missing
    await getOrder.check(request, { params: {} });
    // @ts-expect-error another name
    await getOrder.check(request, { params: { key: '7' } });
    // @ts-expect-error no parameters
    await getOrder.check(request);
    // @ts-expect-error a promise of parameters
    await getOrder.check(request, { params: Promise.resolve({ id: '7' }) });
    await getOrder.check(request, { params: { id: true } });
    // Lists of these, and what the resource needs of the query.
    await getOrder.check(request, { params: { id: ['7', 8] }, query: { ids: ['7'] } });
    // @ts-expect-error a list of something else
    await getOrder.check(request, { params: { id: [{}] } });
    // Fastify's type of a query is unknown.
    await getOrder.check(request, { params: { id: 7 }, query: {} as unknown });
    // @ts-expect-error neither text nor a number nor a boolean
    await getOrder.check(request, { params: { id: 7n } });
    await operations.for('GET /orders').check(request);
    return undefined;
  });
});

test('without the type of a document, the key has the names of the parameters', () => {
  never(async () => {
    const operations = operationGuards(guard, document);
    const pair = operations.for('GET /pairs/{a}-{b}');
    await pair.check(request, { params: { a: 1, b: '2' } });
    // @ts-expect-error the parameter b is missing
    await pair.check(request, { params: { a: 1 } });
    const key: string = 'GET /orders';
    await operations.for(key).check(request, { params: { id: '7' } });
    await operations.for(key).check(request);
  });
});
