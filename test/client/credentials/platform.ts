import { expect } from 'vitest';
import { type ClientOptions, createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';

/** A mock and clients whose time stands still until `advance`; token requests are counted. */
export async function createPlatform(wall = '2026-11-21T00:00:00Z') {
  let ms = 0;
  const create = () =>
    createMock({
      now: wall,
      authentication: { token: { ttl: { min: '1m', max: '1h' } } },
      users: [{ name: 'alice', password: 'pw' }],
    });
  const mock = await create();
  let answering = mock;
  const sent = { tokens: 0, calls: 0 };
  let broken: (() => Response) | undefined;
  let held: Promise<void> | undefined;
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const asksForToken = /\/(?:createToken|login)$/.test(url);
    sent[asksForToken ? 'tokens' : 'calls']++;
    if (asksForToken && held !== undefined) await held;
    if (asksForToken && broken !== undefined) return broken();
    return answering.fetch(url, init);
  };
  return {
    mock,
    sent,
    /** Advances the clocks of client and mock. */
    advance(by: number): void {
      ms += by;
      answering.clock.advance(`${by}ms`);
    },
    /** Replaces the deployment's keys; tokens of the old ones are refused. */
    async replaceKeys(): Promise<void> {
      answering = await create();
    },
    /** Makes token requests fail, by default with 503, or succeed again. */
    breakTokens(how: boolean | (() => Response)): void {
      const down = () => new Response('{"code":14,"message":"down","details":[]}', { status: 503 });
      broken = how === true ? down : how || undefined;
    },
    /** Holds token requests until the returned function is called. */
    holdTokens(): () => void {
      let open = (): void => undefined;
      held = new Promise((resolve) => {
        open = resolve;
      });
      return () => {
        held = undefined;
        open();
      };
    },
    client: (options: Partial<ClientOptions>) =>
      createClient({ ...mock.connection, fetch, clock: { now: () => ms }, ...options }),
  };
}

/** Waits until everything in flight has settled. */
export const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

/**
 * Checks the renewal of 1-minute tokens: with a call every 5 s no call fails, and a token is renewed with the first
 * call past 45 to 51 s, so every 45 to 55 s.
 */
export async function checkRenewals(seconds: number): Promise<void> {
  const { client, sent, advance } = await createPlatform();
  const echo = client({ credentials: credentials.minted({ user: 'alice', lifetime: '1m' }) }).route('_echo');
  for (let second = 0; second < seconds; second += 5) {
    expect((await echo.get()).status).toBe(200);
    advance(5_000);
  }
  expect(sent.tokens).toBeGreaterThanOrEqual(seconds / 55);
  expect(sent.tokens).toBeLessThanOrEqual(seconds / 45);
}
