import { Readable } from 'node:stream';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { paths as contract } from '../../../examples/contract/src/openapi.d.ts';
import type { CallOptions } from '../../../src/client/connection/call.ts';
import { type TypedCall, type TypedOptions, typed } from '../../../src/client/openapi/index.ts';
import type { RequestOptions } from '../../../src/client/route-types.ts';
import { events, paginate, progress } from '../../../src/client/stream/index.ts';
import { createClient, type HttpError } from '../../../src/index.ts';
import type { components, paths } from './documents/orders.d.ts';

type Order = components['schemas']['Order'];

const client = createClient({ url: 'http://service.test' });
const orders = typed<paths>(client.service('shop'));
const path = { id: 7 };
const order = '/orders/{id}';
const bytes = Uint8Array.of(1);

/** Only tsc reads these. */
const never = (calls: () => unknown): void => void calls;

test('the refusals of a guard that `permissions operations --responses` has printed', () => {
  never(async () => {
    const shop = typed<contract>(client.service('shop'));
    const answer = await shop.get(order, { path, allowStatus: [401, 403, 503] });
    if (answer.status === 403)
      expectTypeOf(answer.body).toEqualTypeOf<{ code: number; message: string; details: unknown[] }>();
    if (answer.status === 503) expectTypeOf(answer.body.code).toEqualTypeOf<number>();
  });
});

test('answers by status', () => {
  never(async () => {
    const { body } = await orders.get(order, { path, query: { expand: true } });
    expectTypeOf(body).toEqualTypeOf<Order>();

    const answer = await orders.get(order, { path, allowStatus: [404, 409, 503] });
    if (answer.status === 404) expectTypeOf(answer.body).toEqualTypeOf<{ detail: string }>();
    else if (answer.status === 409) expectTypeOf(answer.body).toEqualTypeOf<{ reason: string }>();
    else if (answer.status === 503) expectTypeOf(answer.body).toEqualTypeOf<string>();
    else expectTypeOf(answer.body).toEqualTypeOf<Order>();
    if (answer.ok) expectTypeOf(answer.status).toEqualTypeOf<200>();

    const unnamed = await orders.delete(order, { path, allowStatus: [404] });
    if (unnamed.ok) expectTypeOf(unnamed.body).toEqualTypeOf<undefined>();
    else expectTypeOf(unnamed.body).toEqualTypeOf<unknown>();

    const some: number[] = [404, 409];
    const any = await orders.get(order, { path, allowStatus: some });
    if (!any.ok) expectTypeOf(any.body).toEqualTypeOf<unknown>();

    const report = await orders.get('/reports/{name}.json', { path: { name: 'may' } });
    expectTypeOf(report.body).toEqualTypeOf<unknown>();
  });
});

test('answers by content type, schema and responseType', () => {
  never(async () => {
    expectTypeOf((await orders.get('/orders/{id}/note', { path })).body).toEqualTypeOf<string>();
    const pdf = await orders.get('/orders/{id}/invoice', { path });
    expectTypeOf(pdf.body).toEqualTypeOf<ReturnType<Uint8Array['slice']> | undefined>();
    const stream = await orders.get('/orders/export', { responseType: 'stream' });
    expectTypeOf(stream.body).toEqualTypeOf<ReadableStream<ReturnType<Uint8Array['slice']>> | undefined>();
    expectTypeOf((await orders.get(order, { path, responseType: 'text' })).body).toEqualTypeOf<string>();
    expectTypeOf((await orders.get(order, { path, responseType: 'json' })).body).toEqualTypeOf<Order>();
    const checked = await orders.get(order, { path, schema: z.object({ id: z.number() }) });
    expectTypeOf(checked.body).toEqualTypeOf<{ id: number }>();
    // @ts-expect-error it is a stream only with `responseType: 'stream'`
    (await orders.get('/orders/export')).body?.getReader();
    // @ts-expect-error there is no such way to read
    await orders.get(order, { path, responseType: 'lines' });
  });
});

test('bodies by content type', () => {
  never(async () => {
    await orders.post('/orders', { body: { total: 9.5, lines: [{ sku: 'a' }] } });
    await orders.patch(order, { path });
    await orders.put('/orders/{id}/note', { path, body: 'a note' });
    await orders.put('/orders/{id}/photo', { path, body: bytes });
    await orders.put('/orders/{id}/photo', { path, body: new Blob([bytes]) });
    await orders.put('/orders/{id}/invoice', { path, body: new FormData() });
    await orders.post('/login', { body: new URLSearchParams({ user: 'alice' }) });
    // @ts-expect-error the body is required
    await orders.post('/orders');
    // @ts-expect-error a field is missing
    await orders.post('/orders', { body: {} });
    // @ts-expect-error a number is expected
    await orders.post('/orders', { body: { total: '9.5' } });
    // @ts-expect-error a misspelt field of an item
    await orders.post('/orders', { body: { total: 9.5, lines: [{ sku: 'a', amout: 2 }] } });
    // @ts-expect-error a route sends a string as text, not as JSON
    await orders.post('/orders', { body: '{"total":9.5}' });
    // @ts-expect-error text is expected
    await orders.put('/orders/{id}/note', { path, body: { note: 'a note' } });
    // @ts-expect-error bytes are expected
    await orders.put('/orders/{id}/photo', { path, body: 'text' });
    // @ts-expect-error the operation takes no body
    await orders.get(order, { path, body: { id: 7 } });
  });
});

test('streams for every content type', () => {
  never(async () => {
    const stream = new ReadableStream<Uint8Array>();
    const texts = async function* () {
      yield 'text';
    };
    await orders.put('/orders/{id}/photo', { path, body: stream });
    await orders.put('/orders/{id}/photo', { path, body: () => stream });
    await orders.put('/orders/{id}/photo', { path, body: async () => texts() });
    await orders.put('/orders/{id}/photo', { path, body: Readable.from(['a']) });
    await orders.put('/orders/{id}/photo', { path, body: progress(stream, () => undefined) });
    await orders.put('/orders/{id}/photo', { path, body: progress(texts, () => undefined) });
    await orders.put('/orders/{id}/note', { path, body: texts() });
    await orders.put('/orders/{id}/invoice', {
      path,
      body: stream,
      headers: { 'content-type': 'multipart/form-data' },
    });
    await orders.post('/orders', { body: stream, headers: { 'content-type': 'application/json' } });
    // @ts-expect-error a function returns a stream
    await orders.put('/orders/{id}/photo', { path, body: () => bytes });
    // @ts-expect-error a stream of bytes or text
    await orders.put('/orders/{id}/photo', { path, body: new ReadableStream<number>() });
  });
});

test('every option of a call, in one type', () => {
  type Parts = 'method' | 'path' | 'absolutePath' | 'body' | 'qs' | 'headers';
  expectTypeOf<keyof TypedOptions<undefined, undefined, []>>().toEqualTypeOf<keyof CallOptions>();
  // A new option of `route.request` is one of a call, or needs a place in a typed call and a line here.
  expectTypeOf<Exclude<keyof RequestOptions, Parts>>().toEqualTypeOf<keyof CallOptions>();
  type Call = TypedCall<paths, 'get', typeof order, undefined, undefined, []>;
  expectTypeOf<keyof Call>().toEqualTypeOf<keyof CallOptions | 'path' | 'query' | 'headers' | 'body'>();
});

test('pages and events', () => {
  never(async () => {
    const pages = paginate(orders, '/orders', {
      query: { limit: 5 },
      next: ({ body, status }) => {
        expectTypeOf(status).toEqualTypeOf<200>();
        expectTypeOf(body).toEqualTypeOf<Order[]>();
        return body.length === 5 ? { tag: ['next'] } : undefined;
      },
      allowStatus: [],
    });
    for await (const { body } of pages) expectTypeOf(body).toEqualTypeOf<Order[]>();
    const schema = z.object({ next: z.string() });
    for await (const page of paginate(orders, order, { path, schema, allowStatus: [404], next: () => '?a=1' })) {
      if (page.ok) expectTypeOf(page.body).toEqualTypeOf<{ next: string }>();
      else expectTypeOf(page.body).toEqualTypeOf<{ detail: string }>();
    }
    for await (const { data } of events(orders, '/orders/export', { retryMs: 5, timeout: 0, operation: 'export' }))
      expectTypeOf(data).toEqualTypeOf<string>();
    events(orders, '/orders/export');
    const next = () => undefined;
    // @ts-expect-error there is no such operation
    paginate(orders, '/login', { next });
    // @ts-expect-error a query that the document does not have
    paginate(orders, '/orders', { next: () => ({ cursor: 'a' }) });
    // @ts-expect-error `next` is required
    paginate(orders, '/orders', {});
    // @ts-expect-error the parameter is missing
    paginate(orders, order, { next });
    // @ts-expect-error the parameter is missing
    events(orders, order);
    // @ts-expect-error the body is a stream of events
    events(orders, '/orders/export', { responseType: 'text' });
  });
});

test('queries, headers and options', () => {
  never(async () => {
    const signal = AbortSignal.timeout(1_000);
    await orders.get('/orders', { query: { state: 'open', tag: ['a', 'b'] }, timeout: 500, signal, retry: 0 });
    await orders.get('/orders', { query: new URLSearchParams('tag=a,b') });
    await orders.get('/orders', { query: 'tag=a,b', headers: { 'x-tenant': 'acme', 'x-other': 'more' } });
    await orders.get(order, { path, headers: () => ({ 'x-request': '7' }) });
    // Cookies, and the headers that OpenAPI leaves to the client, are not asked for.
    await orders.get('/tenants', { query: { region: 'eu' }, headers: { 'x-tenant': 'acme' } });
    // @ts-expect-error the query is required
    await orders.get('/tenants', { headers: { 'x-tenant': 'acme' } });
    // @ts-expect-error the header is required
    await orders.get('/tenants', { query: { region: 'eu' } });
    // @ts-expect-error a header's value is text
    await orders.get('/orders', { headers: { 'x-tenant': true } });
    // @ts-expect-error a value that the enum lacks
    await orders.get('/orders', { query: { state: 'closed' } });
    // @ts-expect-error a misspelt query
    await orders.get('/orders', { query: { limt: 5 } });
    // @ts-expect-error a misspelt option
    await orders.get(order, { path, timout: 500 });
    // @ts-expect-error nothing may follow the options
    await orders.get('/orders', {}, {});
  });
});

test('paths and parameters', () => {
  never(async () => {
    // @ts-expect-error an unknown path
    await orders.get('/order/{id}', { path });
    // @ts-expect-error the path has no such method
    await orders.put(order, { path });
    // @ts-expect-error the options are missing
    await orders.get(order);
    // @ts-expect-error the parameter is missing
    await orders.get(order, { path: {} });
    // @ts-expect-error a number is expected
    await orders.get(order, { path: { id: '7' } });
    // @ts-expect-error a misspelt parameter
    await orders.get(order, { path: { id: 7, di: 7 } });
  });
});

test('isError narrows a caught error', () => {
  never(async () => {
    const error: unknown = await orders.get(order, { path }).catch((caught: unknown) => caught);
    if (orders.isError(error, 'get', order, 404)) {
      expectTypeOf(error.body).toEqualTypeOf<{ detail: string }>();
      expectTypeOf(error.status).toEqualTypeOf<404>();
      expectTypeOf(error).toExtend<HttpError>();
    }
    if (orders.isError(error, 'get', order, 418)) expectTypeOf(error.body.reason).toEqualTypeOf<string>();
    if (orders.isError(error, 'get', order, 500)) expectTypeOf(error.body).toEqualTypeOf<string>();
    // @ts-expect-error the path has no such method
    orders.isError(error, 'put', order, 404);
    // @ts-expect-error an unknown path
    orders.isError(error, 'get', '/order', 404);
  });
});
