import { expectTypeOf, test } from 'vitest';
import type { PermissionsHandler } from '../../../src/enforce/guard/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { openApiValidator } from '../../../src/mock/openapi/index.ts';
import type { components, paths } from '../../client/openapi/documents/orders.d.ts';
import document from '../../client/openapi/documents/orders.json' with { type: 'json' };

type Order = components['schemas']['Order'];
declare const order: Order;
const options = { document, validate: openApiValidator() };

/** Only tsc reads these. */
const never = (calls: () => unknown): void => void calls;

test('handlers get what the document says', () => {
  never(async () => {
    const mock = await createMock();
    mock.service<paths>(
      'orders',
      {
        '/orders': {
          get: ({ query }) => {
            expectTypeOf(query.limit).toEqualTypeOf<number | undefined>();
            expectTypeOf(query.tag).toEqualTypeOf<string[] | undefined>();
            return { status: 200, body: [order] };
          },
          post: async ({ body, user }) => {
            expectTypeOf(body).toEqualTypeOf<components['schemas']['NewOrder']>();
            expectTypeOf(user).toEqualTypeOf<string | undefined>();
            return { status: 201, body: order };
          },
        },
        '/orders/{id}': {
          get: ({ path }) => {
            expectTypeOf(path).toEqualTypeOf<{ id: number }>();
            return path.id === 7 ? { body: order } : { status: 404, body: { detail: 'no order' } };
          },
          delete: () => ({ status: 204 }),
        },
        '/orders/{id}/note': {
          put: ({ body }) => {
            expectTypeOf(body).toEqualTypeOf<string>();
            return { status: 204 };
          },
        },
      },
      options,
    );
    // Without `validate` nothing converts the values.
    mock.service<paths>('orders', {
      '/orders/{id}': {
        get: ({ path, query }) => {
          expectTypeOf(path).toEqualTypeOf<{ id: string }>();
          expectTypeOf(query.expand).toEqualTypeOf<string | undefined>();
          return { body: order };
        },
      },
    });
    // Streams, and whole responses.
    interface Feeds {
      '/feed': { get: { responses: { 200: { content: { 'text/event-stream': string } } } } };
      '/export': { get: { responses: { 200: { content: { 'application/x-ndjson': Order } } } } };
      '/all': { get: { responses: { 200: { content: { 'application/json': Order[] } } } } };
    }
    const pieces = async function* () {
      yield 'data: 1\n\n';
    };
    const found = async function* () {
      yield { data: order, id: '7' };
    };
    mock.service<Feeds>('feeds', {
      '/feed': { get: () => ({ body: pieces() }) },
      '/all': { get: () => Response.json([]) },
    });
    mock.service<Feeds>('feeds', {
      '/feed': { get: () => ({ body: found() }) },
      '/export': { get: () => ({ body: found() }) },
    });
    mock.service<Feeds>('feeds', { '/all': { get: () => ({ body: new Response('').body ?? pieces() }) } });
    // @ts-expect-error values are pieces of events and JSON lines only
    mock.service<Feeds>('feeds', { '/all': { get: () => ({ body: found() }) } });
    mock.service('orders', { '/any': { get: ({ path }) => ({ body: path.any }) } });
  });
});

test('an answer that the document does not allow does not compile', () => {
  never(async () => {
    const mock = await createMock();
    // @ts-expect-error a wrong type in the body
    mock.service<paths>('orders', { '/orders/{id}': { get: () => ({ body: { ...order, total: 'much' } }) } });
    // @ts-expect-error a field is missing
    mock.service<paths>('orders', { '/orders/{id}': { get: () => ({ status: 200, body: { id: 7 } }) } }, options);
    // @ts-expect-error the body of another status
    mock.service<paths>('orders', { '/orders/{id}': { get: () => ({ status: 404, body: order }) } }, options);
    // @ts-expect-error a status that the document does not have
    mock.service<paths>('orders', { '/orders': { get: () => ({ status: 500, body: [] }) } }, options);
    // @ts-expect-error a body where the document has none
    mock.service<paths>('orders', { '/orders/{id}': { delete: () => ({ status: 204, body: order }) } }, options);
    // By a range and by `default`.
    mock.service<paths>('orders', { '/orders/{id}': { get: () => ({ status: 409, body: { reason: 'paid' } }) } });
    mock.service<paths>('orders', { '/orders/{id}': { get: () => ({ status: 503, body: 'later' }) } });
    // A header that may be missing.
    const etag = order.id > 7 ? '"7"' : undefined;
    mock.service<paths>('orders', { '/orders/{id}': { get: () => ({ body: order, headers: { etag } }) } }, options);
    mock.route('GET', '/orders', () => ({ headers: { etag } }));
    mock.fail({ status: 503, headers: { 'retry-after': etag } });
  });
});

test('a path or a method that the document does not have does not compile', () => {
  never(async () => {
    const mock = await createMock();
    // @ts-expect-error an unknown path
    mock.service<paths>('orders', { '/order/{id}': { get: () => ({ body: order }) } }, options);
    // @ts-expect-error the path has no such method
    mock.service<paths>('orders', { '/orders/{id}': { put: () => ({ body: order }) } }, options);
    // @ts-expect-error there is no such parameter
    mock.service<paths>('orders', { '/orders/{id}': { get: ({ path }) => ({ body: order, headers: path.key }) } });
  });
});

/** The endpoint of `permissionsHandler` as openapi-typescript reads it, with errors by status, by range or as default. */
interface PermissionPaths<Errors> {
  '/permissions': {
    post: {
      requestBody: { content: { 'application/json': { items: { action: string; resource: string }[] } } };
      responses: { 200: { content: { 'application/json': { items: boolean[] } } } } & Errors;
    };
  };
}
type Failure = { content: { 'application/json': { code: number; message: string; details: unknown[] } } };

test('the answer of permissionsHandler is that of a typed handler', () => {
  never(async () => {
    const mock = await createMock();
    const permissions = {} as PermissionsHandler;
    type ByStatus = Record<400 | 401 | 403 | 405 | 413 | 503, Failure>;
    const post = ({ request, body }: { request: Parameters<typeof permissions.answer>[0]; body: unknown }) =>
      permissions.answer(request, body);
    mock.service<PermissionPaths<ByStatus>>('orders', { '/permissions': { post } }, options);
    mock.service<PermissionPaths<{ '4XX': Failure; '5XX': Failure }>>('orders', { '/permissions': { post } });
    mock.service<PermissionPaths<{ default: Failure }>>('orders', {
      '/permissions': { post: ({ request, body }) => permissions.answer(request, body) },
    });
    // @ts-expect-error the document has no 503
    mock.service<PermissionPaths<Record<400 | 401 | 403 | 405 | 413, Failure>>>('orders', { '/permissions': { post } });
  });
});
