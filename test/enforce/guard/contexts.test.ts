import { describe, expect, test } from 'vitest';
import { createGuard, type Guard, type GuardOptions, type GuardQuestion } from '../../../src/enforce/guard/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { clientOver } from '../../client/services/support.ts';

const bearer = { authorization: 'Bearer t' };
const read = { action: 'orders:read', resource: 'order:7' };
type Context = Readonly<Record<string, unknown>>;

/** A service that allows only if the context contains `yes: true` somewhere. */
function guarded(options: GuardOptions = {}) {
  const { client, sent } = clientOver(
    ({ body }) => {
      const { items, context } = body as { context?: unknown; items?: { context?: unknown }[] };
      const effectOf = (one: unknown) => ({ effect: JSON.stringify(one)?.includes('"yes":true') ? 'Allow' : 'Deny' });
      return items ? { effect: 'Deny', items: items.map((one) => effectOf(one.context)) } : effectOf(context);
    },
    { retry: 0 },
  );
  return { guard: createGuard(client, options), sent };
}

const ask = (guard: Guard, context: Context) => guard.check(bearer, { ...read, context });

/** A value with this many levels. */
function nested(levels: number): Context {
  let value: Context = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
}

const cyclic: Record<string, unknown> = { a: {} };
cyclic.a = [cyclic];

describe('rejects a context that JSON would change, with its path, and sends nothing', () => {
  test.each<[string, Context, string]>([
    ['a Set', { a: { b: new Set([1]) } }, 'context.a.b'],
    ['a Map', { a: [new Map([['k', 1]])] }, 'context.a[0]'],
    ['a Set as the whole', new Set() as unknown as Context, 'context'],
    ['a Date as the whole', new Date(0) as unknown as Context, 'context'],
    ['NaN', { a: Number.NaN }, 'context.a'],
    ['Infinity', { a: { b: Number.POSITIVE_INFINITY } }, 'context.a.b'],
    ['a BigInt', { a: 1n }, 'context.a'],
    ['a function', { a: () => 1 }, 'context.a'],
    ['a symbol', { a: Symbol('x') }, 'context.a'],
    ['undefined in a list', { a: [undefined] }, 'context.a[0]'],
    ['bytes', { a: new Uint8Array(2) }, 'context.a'],
    ['a cycle', cyclic, 'context.a[0]'],
    ['8 000 levels', nested(8_000), 'context'],
    ['1 001 levels', nested(1_001), 'context'],
    ['100 000 levels', nested(100_000), 'context'],
  ])('%s', async (_name, context, field) => {
    const { guard, sent } = guarded();
    const refusal = await ask(guard, context).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'INVALID_ARGUMENT', field });
    expect(String(refusal)).not.toContain('canary');
    const many = guard.checkMany(bearer, [read, { ...read, context }]);
    await expect(many).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: `items[1].${field}` });
    const local = createGuard(createEvaluator(), { authenticate: async () => ({ superuser: true }) });
    await expect(ask(local, context)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field });
    expect(sent).toEqual([]);
  });

  test('rejects a context whose getter throws', async () => {
    const context = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw new RangeError('canary');
      },
    });
    const { guard, sent } = guarded();
    const refusals = await Promise.all([
      ask(guard, context).catch((error: unknown) => error),
      guard.checkMany(bearer, [{ ...read, context }]).catch((error: unknown) => error),
    ]);
    expect(refusals).toMatchObject([
      { code: 'INVALID_ARGUMENT', field: 'question' },
      { code: 'INVALID_ARGUMENT', field: 'items' },
    ]);
    expect(refusals.map(String).join()).not.toContain('canary');
    expect(sent).toEqual([]);
  });

  test('accepts 1 000 levels', async () => {
    const { guard, sent } = guarded();
    expect((await ask(guard, nested(1_000))).status).toBe(403);
    expect(sent).toHaveLength(1);
  });
});

describe.each<[string, GuardOptions]>([
  ['of one tick', {}],
  ['that are cached', { cache: { ttl: '1h' } }],
])('questions %s', (_kind, options) => {
  /** The number of requests for these contexts, asked together and then, with a cache, one by one. */
  async function requests(contexts: readonly Context[]): Promise<number> {
    const { guard, sent } = guarded(options);
    await Promise.all(contexts.map((context) => ask(guard, context)));
    if (options.cache) for (const context of contexts) await ask(guard, context);
    return sent.length;
  }

  test.each<[string, readonly Context[]]>([
    [
      'the order of fields',
      [
        { a: 1, b: { c: 2, d: 3 } },
        { b: { d: 3, c: 2 }, a: 1 },
      ],
    ],
    ['fields that are undefined', [{ a: 1 }, { a: 1, b: undefined }]],
    ['a zero with a sign', [{ a: 0 }, { a: -0 }]],
    ['a Date and its text', [{ a: new Date(0) }, { a: '1970-01-01T00:00:00.000Z' }]],
    ['an object without a prototype', [{ a: 1 }, Object.assign(Object.create(null), { a: 1 })]],
    ['a Boolean of an object', [{ a: { toJSON: () => true } }, { a: true }]],
  ])('share an answer if they differ in %s', async (_name, contexts) => {
    expect(await requests(contexts)).toBe(1);
  });

  test.each<[string, readonly Context[]]>([
    ['a number and its text', [{ a: 1 }, { a: '1' }]],
    ['null and nothing', [{ a: null }, {}]],
    ['null and its text', [{ a: null }, { a: 'null' }]],
    ['a list and an object', [{ a: ['x'] }, { a: { 0: 'x' } }]],
    ['the order of a list', [{ a: [1, 2] }, { a: [2, 1] }]],
    ['the level of a field', [{ a: { b: 1 } }, { a: {}, b: 1 }]],
    ['a field called __proto__', [JSON.parse('{"a":1,"__proto__":{"b":1}}'), { a: 1 }]],
    ['half a code point', [{ a: '\ud800' }, { a: '\ud801' }]],
    ['an empty context and none', [{}, undefined as unknown as Context]],
  ])('do not share one if they differ in %s', async (_name, contexts) => {
    expect(await requests(contexts)).toBe(contexts.length);
  });

  test('are decided with the caller’s own context', async () => {
    const { guard } = guarded(options);
    const contexts: Context[] = [{ yes: true }, { yes: 'true' }, { yes: [true] }, { a: { yes: true } }];
    const statuses = await Promise.all(contexts.map(async (context) => (await ask(guard, context)).status));
    expect(statuses).toEqual([200, 403, 403, 200]);
  });
});

test('a guard reads a context once: it sends the context that it has compared', async () => {
  const { guard, sent } = guarded();
  let reads = 0;
  const context = Object.defineProperty({}, 'yes', { enumerable: true, get: () => ++reads === 1 });
  expect((await ask(guard, context)).status).toBe(200);
  expect(reads).toBe(1);
  expect(sent[0]?.body).toMatchObject({ context: { yes: true } });
});

test('a guard reads the fields of a context once, also in a list, from getters and proxies', async () => {
  const { guard, sent } = guarded();
  let reads = 0;
  const shifty = new Proxy(
    { action: 'orders:read', resource: 'order:7' },
    {
      get: (target, name, receiver) => {
        if (name === 'resource' && ++reads > 1) return 'order:8';
        return Reflect.get(target, name, receiver);
      },
    },
  ) as GuardQuestion;
  const { items } = await guard.checkMany(bearer, [shifty]);
  expect(items).toEqual([{ action: 'orders:read', resource: 'order:7', allowed: false }]);
  expect([reads, sent[0]?.body]).toEqual([1, { token: 't', items: [read] }]);
});
