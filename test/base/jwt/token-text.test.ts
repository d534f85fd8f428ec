import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readTimes, signedPart } from '../../../src/base/jwt/token-text.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { rawToken } from '../../support/raw-token.ts';

const now = Date.parse('2026-11-20T12:00:00Z') / 1000;
const token = (claims: unknown) => rawToken('secret', { alg: 'HS256' }, claims);

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 }));
afterEach(() => void vi.useRealTimers());

test.each<[string, unknown, { seconds?: number; exp?: number }]>([
  [
    'exp and iat, whatever this machine’s clock',
    { exp: now - 9_000, iat: now - 9_600 },
    { seconds: 600, exp: now - 9_000 },
  ],
  ['no iat', { exp: now + 90 }, { seconds: 90, exp: now + 90 }],
  ['no iat, and expired', { exp: now - 90 }, { seconds: 0, exp: now - 90 }],
  ['an iat that is text', { exp: now + 90, iat: 'now' }, { seconds: 90, exp: now + 90 }],
  ['an iat after exp', { exp: now, iat: now + 5 }, { seconds: 0, exp: now }],
  ['names beyond ASCII', { exp: now + 90, iat: now, 'ä-ÿ~?>': 'ü' }, { seconds: 90, exp: now + 90 }],
  ['no exp', { iat: now }, {}],
  ['an exp that is text', { exp: '90', iat: now }, {}],
  ['an exp beyond the range of Date', { exp: 8.65e12, iat: now }, {}],
  ['an exp that is infinite', '{"exp":1e999}', {}],
  ['claims that are null', null, {}],
])('the times of a token: %s', (_, claims, { seconds, exp }) => {
  const times = exp === undefined ? {} : { lifetimeMs: Number(seconds) * 1000, expiresAt: new Date(exp * 1000) };
  expect(readTimes(token(claims))).toEqual(times);
});

test.each(['', 'x', 'a.b', 'a.!.c', 'a..c'])('text that is not a token has no times: %j', (text) => {
  expect(readTimes(text)).toEqual({});
});

test.each([
  ['a.b.c', 'a.b'],
  ['a.b.', 'a.b'],
  ['a.b', 'a'],
  ['abc', 'abc'],
])('the signed part of %j is %j', (text, signed) => {
  expect(signedPart(text)).toBe(signed);
});

describe('a session', () => {
  /** A login service with tokens of ten minutes, and its number of requests. */
  function service(withIat: boolean) {
    let [ms, logins] = [0, 0];
    const iat = () => now + ms / 1000;
    const fetch = async (url: string) => {
      if (!url.endsWith('/login')) return Response.json({});
      logins += 1;
      return Response.json({ token: token({ exp: iat() + 600, ...(withIat && { iat: iat() }) }) });
    };
    const user = credentials.login({ username: 'alice', password: 'pw' });
    const client = createClient({ url: 'http://h.test', fetch, clock: { now: () => ms }, credentials: user });
    const advance = (by: number) => {
      ms += by;
      vi.setSystemTime(now * 1000 + ms);
    };
    return { call: () => client.route('svc').get(), advance, logins: () => logins };
  }

  test.each([true, false])('is kept until its exp, with iat: %s', async (withIat) => {
    const { call, advance, logins } = service(withIat);
    for (let i = 0; i < 3; i++) await call();
    advance(400_000);
    await call();
    expect(logins()).toBe(1);
    advance(201_000);
    await call();
    expect(logins()).toBe(2);
  });
});
