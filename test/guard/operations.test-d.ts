import { expectTypeOf, test } from 'vitest';
import { createGuard, guardOperation } from '../../src/guard/index.ts';
import { createClient } from '../../src/index.ts';
import { allowedOperations, leastPrivilege } from '../../src/openapi/index.ts';
import type { paths } from '../openapi/documents/orders.d.ts';
import document from '../openapi/documents/orders.json' with { type: 'json' };

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
    leastPrivilege<paths>(document, [{ method: 'get', path: '/orders/{id}' }]);
    // @ts-expect-error an unknown path
    leastPrivilege<paths>(document, [{ method: 'get', path: '/order/{id}' }]);
    // @ts-expect-error the path has no such method
    leastPrivilege<paths>(document, [{ method: 'put', path: '/orders/{id}' }]);
    const [first] = await allowedOperations<paths>(client, document, { path: { id: 7 } });
    // @ts-expect-error an unknown path
    if (first?.path === '/order/{id}') return undefined;
    return undefined;
  });
});
