import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import type { SessionStore } from '../../../src/client/session/index.ts';
import { createClient } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { alice, createPlace, createStore, hour, rest } from './support.ts';

/** Everything that a session shows, writes and sends, by place. */
interface Seen {
  readonly shown: unknown[];
  readonly headers: unknown[];
  readonly urls: unknown[];
  readonly bodies: unknown[];
}

test('tokens are in the store and in headers, the password in the body of the login, and nowhere else', async () => {
  const place = await createPlace({ sidecar: true });
  const seen: Seen = { shown: [], headers: [], urls: [], bodies: [] };
  const logs = (['log', 'warn', 'error', 'info', 'debug'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...args) => void seen.shown.push(args)),
  );
  const spy = new BroadcastChannel('arango-services  http://mock.test/_db/_system#place default');
  spy.onmessage = (event) => void seen.shown.push((event as MessageEvent).data);
  const tokens = new Set<string>();
  const options = {
    store: createStore(),
    observe: (event: unknown) => void seen.shown.push(event),
    fetch: async (url: string, init: RequestInit) => {
      seen.urls.push(url);
      seen.headers.push(init.headers);
      seen.bodies.push([url, init.body]);
      const response = await place.fetch(url, init);
      const body = (await response
        .clone()
        .json()
        .catch(() => undefined)) as { token?: string } | undefined;
      if (body?.token) tokens.add(body.token);
      return response;
    },
  };
  const keys: string[] = [];
  const store: SessionStore = {
    get: (key) => options.store.get(key),
    set(key, value) {
      keys.push(key);
      options.store.set(key, value);
    },
    delete: (key) => options.store.delete(key),
  };
  const session = place.open({ ...options, store });
  for (const event of ['change', 'end'] as const) session.on(event, (...args) => seen.shown.push(args));
  const client = createClient({ ...place.connection, ...{ fetch: options.fetch }, credentials: session });
  const keepError = async (call: Promise<unknown>) => seen.shown.push(await failureOf(call));

  await keepError(session.signIn({ ...alice, password: `${alice.password}-wrong` }));
  await session.signIn(alice);
  await client.route('_echo').get();
  for (const fault of [{ status: 500 }, { drop: true }]) place.mock.fail({ path: '/createToken', ...fault });
  await place.pass(0.9 * hour);
  expect(tokens.size).toBe(2);
  place.mock.tokens.revoke([...tokens].at(-1) ?? '');
  await keepError(client.route('_echo').get());
  await keepError(client.route('_echo').get());
  await session.signIn(alice);
  place.mock.fail({ path: '/logout', status: 500 });
  await session.signOut();
  await rest();
  spy.close();
  for (const log of logs) log.mockRestore();

  const show = (value: unknown) => inspect(value, { depth: 12, showHidden: true, maxStringLength: null });
  const shown = [show(seen.shown), show(session), show(seen.urls), show(keys), JSON.stringify(seen.shown)].join();
  expect(tokens.size).toBe(3);
  for (const token of tokens) {
    for (const part of token.split('.').slice(1)) {
      expect(shown).not.toContain(part);
      expect(show(seen.bodies)).not.toContain(part);
      expect(show(seen.headers)).toContain(part);
    }
  }
  expect(shown).not.toContain(alice.password);
  expect(show(seen.headers)).not.toContain(alice.password);
  const logins = seen.bodies.filter((one) => show(one).includes(alice.password));
  expect(logins.map((one) => (one as [string])[0].endsWith('/login'))).toEqual([true, true, true]);
  expect(options.store.content.size).toBe(0);
});
