import { describe, expect, test } from 'vitest';
import { toPlain, toResponse, UnknownKeyError } from '../../../src/enforce/guard/index.ts';
import {
  AbortError,
  CredentialsError,
  HttpError,
  InvalidArgumentError,
  NetworkError,
  ParseError,
  PermissionDeniedError,
  RedirectError,
  SchemaError,
  TimeoutError,
} from '../../../src/index.ts';

const call = { method: 'GET', path: '/_db/canary/_inside' };
const http = (status: number, retryAfterMs?: number) =>
  new HttpError(call, { status, reason: 'canary', body: { canary: true }, retryAfterMs });
/** As another copy of the package, possibly newer, makes it. */
const ofAnotherCopy = (code: string) =>
  Object.assign(new Error('canary'), { code, [Symbol.for('arango-services.error')]: true });

test.each<[string, unknown, number, string, string?]>([
  ['PermissionDeniedError', new PermissionDeniedError('canary:read', 'canary'), 403, 'Permission denied'],
  ['HttpError 400', http(400), 502, 'Bad gateway'],
  ['HttpError 401', http(401), 502, 'Bad gateway'],
  ['HttpError 403', http(403), 502, 'Bad gateway'],
  ['HttpError 404', http(404), 502, 'Bad gateway'],
  ['HttpError 429', http(429, 1_500), 503, 'Unavailable', '2'],
  ['HttpError 500', http(500, 1_500), 502, 'Bad gateway'],
  ['HttpError 503', http(503, 60_000), 503, 'Unavailable', '60'],
  ['HttpError 503 without a time', http(503), 503, 'Unavailable', '5'],
  ['TimeoutError', new TimeoutError(call, 5), 504, 'Deadline exceeded'],
  ['NetworkError', new NetworkError(call, 'canary', 'ECONNREFUSED'), 503, 'Unavailable', '5'],
  ['CredentialsError', new CredentialsError('canary', call, http(401)), 503, 'Unavailable', '5'],
  ['ReplicaError', ofAnotherCopy('REPLICA'), 503, 'Unavailable', '5'],
  ['UnknownKeyError', new UnknownKeyError(1_200), 503, 'Unavailable', '2'],
  ['AbortError', new AbortError(call, 'canary'), 499, 'Canceled'],
  ['InvalidArgumentError', new InvalidArgumentError('canary', 'canary'), 500, 'Internal error'],
  ['RedirectError', new RedirectError(call, 302, 'http://canary.test', 'canary'), 500, 'Internal error'],
  ['ParseError', new ParseError(call, 200, 'canary'), 500, 'Internal error'],
  ['SchemaError', new SchemaError(call, [{ path: ['canary'], message: 'canary' }]), 500, 'Internal error'],
  ['an unknown code', ofAnotherCopy('CANARY'), 500, 'Internal error'],
  ['a foreign error', Object.assign(new Error('canary'), { status: 401, code: 'TIMEOUT' }), 500, 'Internal error'],
  ['a value that is not an error', 'canary', 500, 'Internal error'],
  ['nothing', undefined, 500, 'Internal error'],
])(
  'an error of a guard becomes an answer that shows none of it: %s',
  async (_name, error, status, message, retryAfter) => {
    const answer = toPlain(error);
    expect(answer).toEqual({
      status,
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        ...(retryAfter && { 'retry-after': retryAfter }),
      },
      body: { code: expect.any(Number), message, details: [] },
    });
    const response = toResponse(error);
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toEqual(answer.headers);
    const body = await response.text();
    expect(JSON.parse(body)).toEqual(answer.body);
    expect(body).not.toMatch(/canary/i);
  },
);

describe('the gRPC code in the body of an answer', () => {
  test.each([
    [new PermissionDeniedError('a:b', 'c'), 7],
    [http(404), 2],
    [http(429), 14],
    [new TimeoutError(call, 5), 4],
    [new AbortError(call, undefined), 1],
    [new Error(), 13],
  ])('belongs to the failure: %s', (error, code) => {
    expect(toPlain(error).body.code).toBe(code);
  });
});
