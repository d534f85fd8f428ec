import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodeJson } from '../../../src/client/connection/body.ts';
import { copyJson } from '../../../src/enforce/guard/copy-json.ts';
import { createClient, InvalidArgumentError } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';

/** An object with a misleading toStringTag. */
const tagged = (value: object, tag: string) => Object.defineProperty(value, Symbol.toStringTag, { value: tag });

describe('a JSON body', () => {
  test('is the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(encodeJson(value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    [{ a: -0, b: undefined, [Symbol('c')]: 1 }, '{"a":0}'],
    [Object.assign([1], { index: 0, input: 'x' }), '[1]'],
    [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    [{ ['__proto__']: 1 }, '{"__proto__":1}'],
    [Object.assign(Object.create({ inherited: 1 }), { own: 2 }), '{"own":2}'],
  ])('is the output of JSON.stringify for %o', (value, text) => {
    expect([encodeJson(value), JSON.stringify(value)]).toEqual([text, text]);
  });

  test('the copy omits the fields that JSON omits', () => {
    const value = JSON.parse('{"a":1,"__proto__":2}');
    const unset = Object.fromEntries(Object.keys(value).map((name) => [name, undefined]));
    expect(Object.keys(copyJson({ ...unset, b: { c: undefined }, d: 1 }, expect.fail) as object)).toEqual(['b', 'd']);
  });

  test('each getter and toJSON runs once, and its result is sent', () => {
    let reads = 0;
    const value = {
      get a() {
        reads += 1;
        return reads === 1 ? 'checked' : () => 'sent';
      },
      b: { toJSON: (key: string) => ({ key, reads: ++reads }) },
    };
    expect(encodeJson(value)).toBe('{"a":"checked","b":{"key":"b","reads":2}}');
  });

  test('toJSON receives its key (empty for the whole body), also for a bigint', () => {
    const named = { toJSON: (key: string) => ({ key }) };
    expect([encodeJson(named), encodeJson([named])]).toEqual(['{"key":""}', '[{"key":"0"}]']);
    onTestFinished(() => void Reflect.deleteProperty(BigInt.prototype, 'toJSON'));
    Object.defineProperty(BigInt.prototype, 'toJSON', {
      value(this: bigint) {
        return `${this}`;
      },
      configurable: true,
    });
    expect(encodeJson({ a: 1n, b: [2n] })).toBe('{"a":"1","b":["2"]}');
  });

  test.each([
    ['a Map', { a: [{ b: new Map() }] }, 'body.a[0].b'],
    ['a Map under another tag', { a: tagged(new Map([['k', 1]]), 'Object') }, 'body.a'],
    ['a Set under another tag', [tagged(new Set([1]), 'Object')], 'body[0]'],
    ['a function', { a: () => 1 }, 'body.a'],
    ['a symbol', { a: Symbol('x') }, 'body.a'],
    ['a bigint', { a: 1n }, 'body.a'],
    ['NaN', [Number.NaN], 'body[0]'],
    ['undefined in an array', [1, undefined], 'body[1]'],
    ['a hole', new Array(1), 'body[0]'],
    ['an invalid Date', { at: new Date('x') }, 'body.at'],
    ['bytes', { a: new Uint8Array(1) }, 'body.a'],
    ['a RegExp', { a: /x/ }, 'body.a'],
    ['a Map after other fields', { a: { b: [1] }, c: new Map() }, 'body.c'],
  ])('rejects %s with its path', (_, value, field) => {
    expect(() => encodeJson(value)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field }));
  });

  test('rejects a cycle, but not the same object twice', () => {
    const shared = { a: 1 };
    expect(encodeJson([shared, shared])).toBe('[{"a":1},{"a":1}]');
    const cycle: Record<string, unknown> = {};
    cycle.self = [cycle];
    expect(() => encodeJson(cycle)).toThrow(InvalidArgumentError);
  });
});

test('rejects text with half a code point, and sends nothing', async () => {
  let sent = 0;
  const fetch = async () => {
    sent += 1;
    return Response.json({});
  };
  const route = createClient({ url: 'http://service.test', fetch }).route();
  expect(await failureOf(route.post('', 'a\ud800b'))).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'body' });
  expect(sent).toBe(0);
});
