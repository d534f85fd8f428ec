import { type Credentials, credentials } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { isRelease } from '../../support/thorough.ts';
import { createPlatform } from './platform.ts';

/** A token of ten minutes. */
export const minted = () => credentials.minted({ user: 'alice', lifetime: '10m' });
/** The response of a service that returns no token. */
export const answer =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    new Response('{"code":14,"message":"down","details":[]}', { status, headers });

/** Has eight workers call as fast as they can for some virtual time; returns the number of token requests. */
export async function hammer(how: () => Response, forMs: number, create: () => Credentials = minted) {
  const { client, sent, advance, breakTokens } = await createPlatform();
  breakTokens(how);
  const echo = client({ credentials: create() }).route('_echo');
  // A fifth of the calls of a long time in `npm test`.
  const step = isRelease || forMs <= 3_000 ? 50 : 250;
  for (let ms = 0; ms <= forMs; ms += step) {
    await Promise.all(Array.from({ length: 8 }, () => failureOf(echo.get())));
    advance(step);
  }
  return sent.tokens;
}
