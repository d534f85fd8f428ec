import { inspect } from 'node:util';
import vm from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';
import * as errors from '../../src/index.ts';

const callInfo = { method: 'POST', path: '/_db/shop/orders' };
const made: readonly (readonly [
  code: errors.ErrorCode,
  guard: (error: unknown) => boolean,
  error: errors.ArangoServicesError,
  message: string,
])[] = [
  [
    'HTTP',
    errors.isHttpError,
    new errors.HttpError(callInfo, { status: 403, reason: 'Permission denied', grpcCode: 7, body: { a: 1 } }),
    'POST /_db/shop/orders failed: 403 Permission denied',
  ],
  [
    'REDIRECT',
    errors.isRedirectError,
    new errors.RedirectError(callInfo, 302, 'http://b/x', 'it leaves the origin'),
    'POST /_db/shop/orders was redirected to http://b/x: it leaves the origin',
  ],
  [
    'NETWORK',
    errors.isNetworkError,
    new errors.NetworkError(callInfo, 'connection refused', 'ECONNREFUSED'),
    'POST /_db/shop/orders failed: connection refused (ECONNREFUSED)',
  ],
  [
    'TIMEOUT',
    errors.isTimeoutError,
    new errors.TimeoutError(callInfo, 500),
    'POST /_db/shop/orders timed out after 500 ms',
  ],
  ['ABORTED', errors.isAbortError, new errors.AbortError(callInfo, 'enough'), 'POST /_db/shop/orders was cancelled'],
  [
    'PARSE',
    errors.isParseError,
    new errors.ParseError(callInfo, 200, '<html>'),
    'POST /_db/shop/orders answered 200 with a body that is not valid JSON',
  ],
  [
    'SCHEMA',
    errors.isSchemaError,
    new errors.SchemaError(callInfo, [{ message: 'no string', path: ['a', 0] }]),
    'POST /_db/shop/orders answered with an unexpected body: a[0]: no string',
  ],
  [
    'INVALID_ARGUMENT',
    errors.isInvalidArgumentError,
    new errors.InvalidArgumentError('qs.a', 'no', callInfo),
    'POST /_db/shop/orders was not sent: qs.a: no',
  ],
  [
    'PERMISSION_DENIED',
    errors.isPermissionDeniedError,
    new errors.PermissionDeniedError('orders:read', 'orders'),
    'Permission denied: orders:read on "orders"',
  ],
  [
    'CREDENTIALS',
    errors.isCredentialsError,
    new errors.CredentialsError('no token', callInfo),
    'POST /_db/shop/orders has no credentials: no token',
  ],
];
const guards = made.map(([, guard]) => guard);

describe.each(made)('%s', (code, guard, error, message) => {
  test('have name, code, message and toJSON; its own guard and the common one match', () => {
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(errors.ArangoServicesError);
    expect([error.name, error.code, error.message]).toEqual([error.constructor.name, code, message]);
    expect(guards.filter((one) => one(error))).toEqual([guard]);
    expect(errors.isArangoServicesError(error)).toBe(true);
    expect(error.toJSON()).toMatchObject({ name: error.name, code, message });
    expect(JSON.parse(JSON.stringify(error))).toEqual(JSON.parse(JSON.stringify(error.toJSON())));
    expect(inspect(error)).toContain(message);
    expect(error.stack).toContain('errors.test.ts');
  });

  test('the fields of a failed call are enumerable, name and brand are not', () => {
    expect(Object.keys(error)).toContain('code');
    expect(Object.keys(error)).not.toContain('name');
    expect(Object.getOwnPropertySymbols({ ...error })).toEqual([]);
  });
});

test('server text can be read but does not show in logs', () => {
  const http = new errors.HttpError(callInfo, { status: 400, reason: 'r', body: { canary: 1 }, details: ['canary'] });
  const parse = new errors.ParseError(callInfo, 200, `canary${'x'.repeat(300)}`);
  expect([http.body, http.details, parse.text.length]).toEqual([{ canary: 1 }, ['canary'], 200]);
  for (const error of [http, parse])
    expect(JSON.stringify(error) + inspect(error) + JSON.stringify({ ...error })).not.toContain('canary');
});

test('a rejected argument has its field and its problem separately, without the call', () => {
  const error = new errors.InvalidArgumentError('qs.a', 'must not be: empty', callInfo);
  expect([error.field, error.problem]).toEqual(['qs.a', 'must not be: empty']);
  expect(error.toJSON()).toMatchObject({ field: 'qs.a', problem: 'must not be: empty' });
});

test('fields without a value are absent, not undefined', () => {
  const error = new errors.HttpError({}, { status: 500, reason: '' });
  expect(Object.keys(error)).toEqual(['code', 'status', 'reason']);
  expect(error.message).toBe('failed: 500');
  expect(new errors.NetworkError(callInfo, 'x')).not.toHaveProperty('cause');
});

test('every guard is false for a value that is not an error of this package', () => {
  class Fake extends Error {
    code = 'HTTP';
    override name = 'HttpError';
  }
  for (const other of [undefined, null, 'HTTP', 5, new Error('x'), new Fake(), { code: 'HTTP' }, () => 1]) {
    expect([...guards, errors.isArangoServicesError].map((guard) => guard(other))).toEqual(
      Array(guards.length + 1).fill(false),
    );
  }
});

test('guards work across realms, copies of the package and minification', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents:
        "export * from './arango-services-error.ts'; export * from './error-guards.ts'; export * from './errors.ts'",
      resolveDir: `${root}src/base`,
    },
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'copy',
    write: false,
  });
  const context = vm.createContext({});
  vm.runInContext(`${outputFiles[0]?.text}; this.copy = copy`, context);
  // The cast: a bundle of the same source has the same exports.
  const copy = context.copy as typeof errors;
  const theirs = new copy.HttpError(callInfo, { status: 404, reason: 'Not Found' });
  const ours = new errors.HttpError(callInfo, { status: 404, reason: 'Not Found' });
  expect([theirs instanceof errors.ArangoServicesError, theirs instanceof Error]).toEqual([false, false]);
  expect([theirs.name, theirs.message, theirs.code]).toEqual([ours.name, ours.message, ours.code]);
  expect([errors.isHttpError(theirs), copy.isHttpError(ours), errors.isTimeoutError(theirs)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(errors.isCredentialsError(new copy.CredentialsError('x'))).toBe(true);
});
