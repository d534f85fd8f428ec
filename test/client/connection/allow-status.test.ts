import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { createClient, credentials } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';

const Item = z.object({ id: z.string() });

function routeOf(answers: readonly (() => Response)[], options: object = {}) {
  let calls = 0;
  const fetch = async () => (answers[Math.min(calls++, answers.length - 1)] as () => Response)();
  const client = createClient({ url: 'http://service.test', fetch, retry: 0, ...options });
  return { route: client.route('items'), calls: () => calls };
}
const answer = (status: number, body?: object) => () =>
  body === undefined ? new Response(null, { status }) : Response.json(body, { status });

describe('allowStatus', () => {
  test('turns a failure into a response with ok: false and an unvalidated body', async () => {
    const { route } = routeOf([answer(404, { error: 'no such item' })]);
    const found = await route.with({ schema: Item, allowStatus: [404, 409] }).get(['x']);
    expect(found).toMatchObject({ status: 404, ok: false, body: { error: 'no such item' }, redirected: false });
    if (found.ok) expectTypeOf(found.body).toEqualTypeOf<{ id: string }>();
    else expectTypeOf(found.body).toBeUnknown();
  });

  test('leaves other statuses and successful responses as they are', async () => {
    const { route, calls } = routeOf([answer(500), answer(200, { id: 'x' }), answer(200, { no: 1 })]);
    const typed = route.with({ schema: Item, allowStatus: [404] });
    expect(await failureOf(typed.get())).toMatchObject({ code: 'HTTP', status: 500 });
    const found = await typed.get();
    expect(found.ok && found.body.id).toBe('x');
    expect(await failureOf(typed.get())).toMatchObject({ code: 'SCHEMA' });
    expect(calls()).toBe(3);
  });

  test('the type is a union only with allowStatus; undefined removes the option again', async () => {
    const { route } = routeOf([answer(200, { id: 'x' })]);
    const typed = route.with({ schema: Item, allowStatus: [404] });
    expectTypeOf((await typed.with({ allowStatus: undefined }).get()).body).toEqualTypeOf<{ id: string }>();
    expectTypeOf((await route.with({ schema: Item }).get()).body).toEqualTypeOf<{ id: string }>();
    const one = await route.request({ allowStatus: [404], schema: Item });
    if (one.ok) expectTypeOf(one.body).toEqualTypeOf<{ id: string }>();
  });

  test('applies only after the last retry', async () => {
    const { route, calls } = routeOf([answer(503), answer(200, { id: 'x' })], { retry: 1 });
    expect((await route.with({ allowStatus: [503] }).get()).status).toBe(200);
    expect(calls()).toBe(2);
  });

  test('applies only after a renewal of the token', async () => {
    const { route, calls } = routeOf([answer(401), answer(200, { id: 'x' })], {
      credentials: credentials.bearer(() => 't'),
    });
    expect((await route.with({ allowStatus: [401] }).get()).status).toBe(200);
    expect(calls()).toBe(2);
    const always = routeOf([answer(401)], { credentials: credentials.bearer(() => 't') });
    expect((await always.route.with({ allowStatus: [401] }).get()).status).toBe(401);
    expect(always.calls()).toBe(2);
  });

  test("'all' allows every status, and returns redirects instead of following them", async () => {
    const moved = () => new Response(null, { status: 307, headers: { location: 'http://service.test/next' } });
    const statuses = [400, 401, 404, 418, 500, 599];
    const { route, calls } = routeOf([
      ...statuses.map((status) => answer(status, { status })),
      moved,
      answer(304),
      answer(200, { id: 'x' }),
      answer(200, { no: 1 }),
    ]);
    const all = route.with({ schema: Item, allowStatus: 'all' });
    for (const status of statuses) {
      expect(await all.get()).toMatchObject({ status, ok: false, body: { status } });
    }
    const redirect = await all.get();
    expect([redirect.status, redirect.headers.get('location'), redirect.redirected]).toEqual([
      307,
      'http://service.test/next',
      false,
    ]);
    expect(await all.get()).toMatchObject({ status: 304, ok: false });
    const found = await all.get();
    if (found.ok) expectTypeOf(found.body).toEqualTypeOf<{ id: string }>();
    expect(found.ok && found.body.id).toBe('x');
    // A success is validated all the same.
    expect(await failureOf(all.get())).toMatchObject({ code: 'SCHEMA' });
    expect(calls()).toBe(10);
  });

  test("with 'all', the body of a redirect is read like that of a failure: parsed or text, and never a stream", async () => {
    const headers = { location: '/next', 'content-type': 'application/json' };
    const { route } = routeOf([() => new Response('{"a":', { status: 302, headers })]);
    for (const options of [{}, { maxBytes: 1 }, { responseType: 'stream' }] as const) {
      const redirect = await route.with({ allowStatus: 'all', ...options }).get();
      expect(redirect).toMatchObject({ status: 302, ok: false, body: '{"a":' });
    }
  });

  test.each<[string, object]>([
    ['was followed to another origin', { redirected: true, url: 'http://other.test/' }],
    ['a page hides', { type: 'opaqueredirect', status: 0 }],
  ])("a redirect that %s is an error with 'all', too", async (_what, fields) => {
    const given = Object.entries(fields).map(([name, value]) => [name, { value }]);
    const { route } = routeOf([() => Object.defineProperties(Response.json({ a: 1 }), Object.fromEntries(given))]);
    expect(await failureOf(route.with({ allowStatus: 'all' }).get())).toMatchObject({ code: 'REDIRECT' });
  });

  test('a redirect that is not followed remains an error', async () => {
    const moved = () => new Response(null, { status: 307, headers: { location: 'http://other.test/' } });
    const { route } = routeOf([moved]);
    expect(await failureOf(route.with({ allowStatus: [307] }).get())).toMatchObject({ code: 'REDIRECT', status: 307 });
  });

  test('a 304 is validated like a 204 unless it is allowed', async () => {
    const { route } = routeOf([answer(304)]);
    expect(await failureOf(route.with({ schema: Item }).get())).toMatchObject({ code: 'SCHEMA' });
    expect(await route.with({ schema: Item, allowStatus: [304] }).get()).toMatchObject({ status: 304, ok: false });
    expect((await route.with({ schema: z.undefined() }).get()).status).toBe(304);
  });

  test.each([[[200]], [[600]], [['404']], [404], ['any']])('rejects %o', (allowStatus) => {
    const { route } = routeOf([answer(200)]);
    expect(() => route.with({ allowStatus: allowStatus as number[] })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });
});
