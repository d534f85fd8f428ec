import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import * as z from 'zod/mini';
import {
  type Client,
  createClient,
  type HttpError,
  isHttpError,
  type Query,
  type Route,
  type RouteResponse,
} from '../../../src/index.ts';

interface Order {
  readonly id: string;
}
const zodOrder = z.object({ id: z.string(), total: z.pipe(z.string(), z.transform(Number)) });
const valibotOrder = v.object({ id: v.string(), tags: v.array(v.string()) });

/** A query type as callers may declare it. */
interface Filter {
  readonly state?: 'open' | 'closed';
  readonly limit?: number | undefined;
  readonly tags?: readonly string[];
  readonly since?: Date;
}

/** Checked by `tsc`; never run. */
export async function signatures(client: Client, R: Route, filter: Filter) {
  expectTypeOf(client.route('svc')).toEqualTypeOf<Route<unknown>>();
  expectTypeOf(client.route()).toEqualTypeOf<Route<unknown>>();
  expectTypeOf(client.route({ h: '1' })).toEqualTypeOf<Route<unknown>>();
  expectTypeOf(client.route('svc', { h: '1', gone: null, undef: undefined })).toEqualTypeOf<Route<unknown>>();
  expectTypeOf(client.database('mydb')).toEqualTypeOf<Client>();
  expectTypeOf(R.route('a', new Headers())).toEqualTypeOf<Route<unknown>>();

  // Verbs: [path], [qs] and [path], [body, [qs]].
  for (const call of [
    R.get(),
    R.get('x'),
    R.get({ a: 1 }),
    R.get('x', { a: [1, true, null, new Date()] }),
    R.get('x', 'a=1'),
    R.get(new URLSearchParams()),
  ]) {
    expectTypeOf(call).toEqualTypeOf<Promise<RouteResponse<unknown>>>();
  }
  expectTypeOf(R.delete('x', { a: 1n })).toEqualTypeOf<Promise<RouteResponse<unknown>>>();
  expectTypeOf(R.head('x', { a: undefined })).toEqualTypeOf<Promise<RouteResponse<undefined>>>();
  for (const call of [
    R.post(),
    R.post('x'),
    R.post({ a: 1 }),
    R.post([{ a: 1 }], { q: 1 }),
    R.post('x', 'text', 'q=1'),
    R.post(undefined, { a: 1 }),
    R.put(new FormData()),
    R.patch('x', new Uint8Array(1)),
  ]) {
    expectTypeOf(call).toEqualTypeOf<Promise<RouteResponse<unknown>>>();
  }
  expectTypeOf(
    R.request({ method: 'POST', path: 'x', body: 1, qs: {}, headers: {}, timeout: 1, retry: 1 }),
  ).toEqualTypeOf<Promise<RouteResponse<unknown>>>();
  expectTypeOf(R.request()).toEqualTypeOf<Promise<RouteResponse<unknown>>>();

  // A query may be an interface with optional fields, by every way in.
  const found: Query = filter;
  for (const call of [
    R.get(filter),
    R.get('x', filter),
    R.head(filter),
    R.delete('x', found),
    R.post('x', {}, filter),
    R.post({}, filter),
    R.put('x', {}, filter),
    R.patch('x', {}, filter),
    R.request({ qs: filter }),
    R.request({ qs: found }),
    R.request({ path: 'x', qs: new URLSearchParams() }),
  ]) {
    expectTypeOf(call).resolves.toHaveProperty('status');
  }

  // A type argument names the body.
  expectTypeOf(R.get<Order>('x')).toEqualTypeOf<Promise<RouteResponse<Order>>>();
  expectTypeOf(R.post<Order>({ a: 1 })).toEqualTypeOf<Promise<RouteResponse<Order>>>();
  expectTypeOf(R.request<Order>({ path: 'x' })).toEqualTypeOf<Promise<RouteResponse<Order>>>();

  // A schema infers it: its output, for every verb and every child.
  const zod = R.with({ schema: zodOrder, timeout: 5 });
  expectTypeOf((await zod.get('x')).body).toEqualTypeOf<{ id: string; total: number }>();
  expectTypeOf((await zod.route('child').post({})).body).toEqualTypeOf<{ id: string; total: number }>();
  expectTypeOf((await zod.request({ path: 'x' })).body).toEqualTypeOf<{ id: string; total: number }>();
  expectTypeOf((await R.with({ schema: v.array(valibotOrder) }).get()).body).toEqualTypeOf<
    { id: string; tags: string[] }[]
  >();
  expectTypeOf((await R.request({ schema: valibotOrder })).body).toEqualTypeOf<{ id: string; tags: string[] }>();
  // A further with(): other options keep it, another schema replaces it, undefined removes it.
  expectTypeOf(zod.with({ timeout: 1 })).toEqualTypeOf<typeof zod>();
  expectTypeOf((await zod.with({ schema: z.string() }).get()).body).toEqualTypeOf<string>();
  expectTypeOf((await zod.with({ schema: undefined }).get()).body).toEqualTypeOf<unknown>();

  // responseType types it as well.
  expectTypeOf((await R.with({ responseType: 'text' }).get()).body).toEqualTypeOf<string>();
  expectTypeOf((await R.request({ responseType: 'blob' })).body).toEqualTypeOf<Blob | undefined>();
  expectTypeOf((await R.with({ responseType: 'bytes' }).post()).body).toEqualTypeOf<
    Uint8Array<ArrayBuffer> | undefined
  >();
  expectTypeOf((await R.with({ responseType: 'stream' }).get()).body).toEqualTypeOf<
    ReadableStream<Uint8Array<ArrayBuffer>> | undefined
  >();

  const response = await R.get('x');
  expectTypeOf(response.status).toEqualTypeOf<number>();
  expectTypeOf(response.statusText).toEqualTypeOf<string>();
  expectTypeOf(response.ok).toEqualTypeOf<boolean>();
  expectTypeOf(response.headers).toEqualTypeOf<Headers>();
  expectTypeOf(response.url).toEqualTypeOf<string>();
  expectTypeOf(response.redirected).toEqualTypeOf<boolean>();

  const error: unknown = undefined;
  if (isHttpError(error)) expectTypeOf(error).toEqualTypeOf<HttpError>();
}

/** Each line must be a compile error. */
export function refusals(R: Route) {
  // @ts-expect-error a misspelled option
  R.with({ timout: 1 });
  // @ts-expect-error a misspelled option beside a right one
  R.with({ timeout: 1, shema: zodOrder });
  // @ts-expect-error a misspelled option
  R.request({ pth: 'x' });
  // @ts-expect-error an option of request() in with()
  R.with({ path: 'x' });
  // @ts-expect-error an option of the wrong type
  R.with({ timeout: '5s' });
  // @ts-expect-error an option of the wrong type
  R.request({ responseType: 'xml' });
  // @ts-expect-error not a schema
  R.with({ schema: {} });
  // @ts-expect-error a body on GET
  R.get('x', {}, { body: 1 });
  // @ts-expect-error a body on HEAD
  R.head('x', {}, { body: 1 });
  // @ts-expect-error options after a query
  R.post('x', {}, {}, { timeout: 1 });
  // @ts-expect-error a nested query object
  R.get('x', { a: { b: 1 } });
  // @ts-expect-error a nested query object
  R.get({ a: { b: 1 } });
  // @ts-expect-error a nested query object
  R.post('x', {}, { a: { b: 1 } });
  // @ts-expect-error a nested query object
  R.request({ qs: { a: { b: 1 } } });
  const nested: { readonly a: { readonly b: number } } = { a: { b: 1 } };
  // @ts-expect-error a nested query object of a variable
  R.request({ qs: nested });
  // @ts-expect-error a Map
  R.get('x', new Map([['a', 1]]));
  // @ts-expect-error a Date
  R.get('x', new Date());
  // @ts-expect-error a function
  R.get('x', () => 1);
  // @ts-expect-error a Map as the query of a request
  R.request({ qs: new Map() });
  // @ts-expect-error a function in a query
  R.get({ a: () => 1 });
  // @ts-expect-error a header that is an object
  R.route('x', { h: {} });
  // @ts-expect-error a path that is a number
  R.get(5);
  // @ts-expect-error an unknown option of createClient
  createClient({ url: 'http://localhost', databse: 'x' });
  // @ts-expect-error no url
  createClient({ database: 'x' });
}

export function readOnly(response: RouteResponse) {
  // @ts-expect-error an answer is read-only
  response.status = 1;
}
