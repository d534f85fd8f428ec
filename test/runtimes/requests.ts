// State that outlives a request of a worker. There a promise that belongs to an ended request never settles, so other
// requests would wait for it for ever. Clients live as long as the worker, so one aborted call must not block them.
import { type Client, credentials } from 'arango-services';
import { verifyToken } from 'arango-services/guard';
import { expect } from 'vitest';
import type { Platform } from './platform.ts';
import { clientOf, failure } from './smoke/check.ts';

/** The context that Workers pass with each request. */
export interface RequestContext {
  waitUntil(promise: Promise<unknown>): void;
}

/** The work of one request; the scenario's requests share `kept`, like globals of a worker. */
type Step = (platform: Platform, kept: Kept, context: RequestContext) => Promise<void>;

/** The globals of a scenario. */
export interface Kept {
  client: Client;
  /** The client's time in milliseconds. */
  now: number;
}

/** Requests that come one after the other. */
export interface Scenario {
  readonly name: string;
  readonly steps: readonly Step[];
}

const longerThanAnybodyWaits = 60_000;
const minute = 60_000;
const shortly = { timeout: 300 };
const tokenPath = '/_integration/authn/v1/createToken';

const echo = (client: Client) => client.route('_echo').get('x');
const made = async (platform: Platform): Promise<number> =>
  (await platform.requests()).filter(({ path, status }) => path === tokenPath && status === 200).length;

/** The first request waits for a hanging call and ends; the second must succeed. */
const survives = (name: string, path: string, given: Parameters<typeof clientOf>[1]): Scenario => ({
  name,
  steps: [
    async (platform, kept) => {
      await platform.restore();
      await platform.fail({ path, delayMs: longerThanAnybodyWaits });
      kept.client = clientOf(platform, given);
      expect(await failure(echo(kept.client.with(shortly)))).toMatchObject({ code: 'TIMEOUT' });
    },
    async (_platform, { client }) => void expect((await echo(client)).status).toBe(200),
  ],
});

/** Credentials whose token is valid for ten minutes of the client's clock. */
async function startMinted(platform: Platform, kept: Kept): Promise<void> {
  await platform.restore();
  kept.now = 0;
  kept.client = clientOf(platform, {
    clock: { now: () => kept.now },
    credentials: credentials.minted({ user: 'alice', lifetime: '10m' }),
  });
  await echo(kept.client);
  expect(await made(platform)).toBe(1);
}

export const scenarios: readonly Scenario[] = [
  survives('a login that was under way', '/_integration/authn/v1/login', {
    credentials: credentials.login({ username: 'alice', password: 'pässwort 🧀' }),
  }),
  survives('a token that was being minted', tokenPath, {
    credentials: credentials.minted({ user: 'alice', lifetime: '10m' }),
  }),
  {
    name: 'a fetch of published keys in flight',
    steps: [
      async (platform, kept) => {
        await platform.restore();
        await platform.fail({ path: '/_management/authentication/keys', delayMs: longerThanAnybodyWaits });
        kept.client = clientOf(platform);
        const tired = new Promise((resolve) => setTimeout(resolve, shortly.timeout, 'tired'));
        expect(await Promise.race([verifyToken(platform.token, { client: kept.client }), tired])).toBe('tired');
      },
      async ({ token }, { client }) => void expect(await verifyToken(token, { client })).toMatchObject({ valid: true }),
    ],
  },
  {
    name: 'a renewal beside a valid token',
    steps: [
      startMinted,
      async (platform, kept) => {
        await platform.fail({ path: tokenPath, delayMs: longerThanAnybodyWaits });
        kept.now += 9 * minute;
        expect((await echo(kept.client)).status).toBe(200);
      },
      async (_platform, kept) => {
        kept.now += 2 * minute;
        expect((await echo(kept.client)).status).toBe(200);
      },
    ],
  },
  {
    name: 'waitUntil lets a background renewal outlive its request',
    steps: [
      startMinted,
      async (platform, kept, context) => {
        await platform.fail({ path: tokenPath, delayMs: 500 });
        kept.now += 9 * minute;
        const client = kept.client.with({ waitUntil: (promise) => context.waitUntil(promise) });
        expect((await echo(client)).status).toBe(200);
        expect(await made(platform)).toBe(1);
      },
      async (platform, kept) => {
        for (let tries = 0; tries < 50 && (await made(platform)) < 2; tries++) {
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        // The first token has expired, the renewed one has not; no third one was requested.
        kept.now += 2 * minute;
        expect((await echo(kept.client)).status).toBe(200);
        expect(await made(platform)).toBe(2);
      },
    ],
  },
];
