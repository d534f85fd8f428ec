import { describe, expect, test } from 'vitest';
import { credentials, isCredentialsError, isHttpError } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { answer, hammer, minted } from './hammer.ts';
import { createPlatform } from './platform.ts';

describe('token requests without a valid token', () => {
  // At 0, 1, 3, 7 and then every 5 seconds.
  test.each([
    [500, 3_000, 3],
    [503, 30_000, 8],
    [429, 30_000, 8],
    [400, 3_000, 3],
  ])('after %i are 1 s apart, doubled up to 5 s (in %i ms %i requests)', async (status, forMs, times) => {
    expect(await hammer(answer(status), forMs)).toBe(times);
  });

  test('after a network error are as far apart', async () => {
    expect(await hammer(() => Response.error(), 3_000)).toBe(3);
  });

  test.each([401, 403])('after %i are 30 s apart', async (status) => {
    const login = () => credentials.login({ username: 'alice', password: 'wrong' });
    expect(await hammer(answer(status), 60_000, login)).toBe(3);
  });

  test.each([
    ['60', 60_000, 2],
    ['10', 60_000, 7],
    ['3600', 60_000, 2],
    ['0', 3_000, 3],
  ])('wait as long as Retry-After: %s says, up to a minute (in %i ms %i requests)', async (after, forMs, times) => {
    expect(await hammer(answer(429, { 'retry-after': after }), forMs)).toBe(times);
  });

  test('while requests wait, a call rejects at once with the last failure and its age', async () => {
    const { client, advance, breakTokens } = await createPlatform();
    breakTokens(true);
    const echo = client({ credentials: minted() }).route('_echo');
    await failureOf(echo.get());
    advance(400);
    const error = await failureOf(echo.get());
    expect(isCredentialsError(error) && isHttpError(error.cause) && error.cause.status).toBe(503);
    expect(error).toMatchObject({ method: 'GET', path: '/_db/_system/_echo' });
    expect(String(error)).toMatch(/createToken failed: 503 .*\(next attempt in 1 s\)$/);
  });

  test('wait after a 401 whose renewal fails, too', async () => {
    const { client, sent, advance, breakTokens, replaceKeys } = await createPlatform();
    const echo = client({ credentials: minted() }).route('_echo');
    await echo.get();
    await replaceKeys();
    breakTokens(true);
    for (let ms = 0; ms <= 3_000; ms += 50) {
      const errors = await Promise.all(Array.from({ length: 8 }, () => failureOf(echo.get())));
      expect(errors.every((error) => isHttpError(error) && error.status === 401)).toBe(true);
      advance(50);
    }
    expect(sent.tokens).toBe(1 + 3);
  });

  test('back off from 1 s again after a success', async () => {
    const { client, sent, advance, breakTokens } = await createPlatform();
    const echo = client({ credentials: minted() }).route('_echo');
    breakTokens(true);
    for (const ms of [1_000, 2_000, 4_000]) {
      await failureOf(echo.get());
      advance(ms);
    }
    breakTokens(false);
    await echo.get();
    expect(sent.tokens).toBe(4);
    advance(600_000);
    breakTokens(true);
    await failureOf(echo.get());
    advance(1_000);
    await failureOf(echo.get());
    expect(sent.tokens).toBe(6);
  });

  test('wait no longer after a logout', async () => {
    const { client, sent, breakTokens } = await createPlatform();
    const one = client({ credentials: minted() });
    breakTokens(true);
    await failureOf(one.route('_echo').get());
    breakTokens(false);
    await failureOf(one.route('_echo').get());
    expect(sent.tokens).toBe(1);
    await one.authentication.logout();
    expect((await one.route('_echo').get()).status).toBe(200);
  });

  test('do not replace the function of bearer, which is called each time', async () => {
    const { client } = await createPlatform();
    let asked = 0;
    const ask = () => {
      asked += 1;
      throw new Error('down');
    };
    const echo = client({ credentials: credentials.bearer(ask) }).route('_echo');
    for (let i = 0; i < 5; i++) await failureOf(echo.get());
    expect(asked).toBe(5);
  });
});
