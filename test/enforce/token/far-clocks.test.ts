import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { judgeClaims } from '../../../src/base/jwt/claims.ts';
import { createVerifier, verifyToken } from '../../../src/enforce/guard/index.ts';

const secret = 'a secret of some length, for tests';
const now = Math.floor(Date.now() / 1_000);
const token = await new SignJWT({ preferred_username: 'alice' })
  .setProtectedHeader({ alg: 'HS256' })
  .setIssuedAt(now)
  .setExpirationTime(now + 3_600)
  .sign(new TextEncoder().encode(secret));

test.each([
  [1e300, 'token is expired'],
  [-1e300, 'token used before issued'],
])('a clock of %d is far from every token', async (ms, message) => {
  const clock = { now: () => ms };
  for (const validation of [
    await verifyToken(token, { secret, clock }),
    await createVerifier({ secret, clock })(token),
  ]) {
    expect(validation.valid).toBe(false);
    expect(JSON.stringify(validation)).toContain(message);
  }
});

test.each(['exp', 'nbf', 'iat'])('no %s is valid at a time that is not a number', (claim) => {
  for (const seconds of [0, now, now + 3_600, -1]) {
    for (const isLenient of [false, true]) {
      // Like the observed services, which read an `exp` of 0 as none.
      const isNone = claim === 'exp' && seconds === 0 && isLenient;
      expect(judgeClaims(new Map([[claim, seconds]]), Number.NaN, isLenient).valid).toBe(isNone);
    }
  }
});
