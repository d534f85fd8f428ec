import { expect, test } from 'vitest';
import { createClient } from '../../../src/index.ts';
import { type CountedSignal, countedSignal } from '../../support/counted-signal.ts';
import { failureOf } from '../../support/failure.ts';

const url = 'http://service.test';

/** Responds on demand; honors signals like `fetch`. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const fetch = async (_url: string, { signal }: RequestInit): Promise<Response> => {
    await new Promise<void>((done, fail) => {
      void promise.then(done);
      signal?.addEventListener('abort', () => fail(signal.reason));
    });
    return Response.json({});
  };
  return { fetch, open: resolve };
}

test('calls share one listener on their signal; the last one removes it', async () => {
  const { fetch, open } = gate();
  const [ofClient, ofChild, ofCalls] = [countedSignal(), countedSignal(), countedSignal()];
  const signals = [ofClient, ofChild, ofCalls];
  const client = createClient({ url, fetch, signal: ofClient });
  const route = client.with({ signal: ofChild }).route().with({ signal: ofCalls });
  const calls = Array.from({ length: 30 }, () => route.get());
  expect(signals.map(({ listeners }) => listeners.size)).toEqual([1, 1, 1]);
  open();
  await Promise.all(calls);
  expect(signals.map(({ listeners }) => listeners.size)).toEqual([0, 0, 0]);
  // The next call adds a listener again.
  const { fetch: closed } = gate();
  const controller = new AbortController();
  const again = countedSignal(controller);
  const another = createClient({ url, fetch: closed, signal: again });
  for (let round = 0; round < 2; round++) {
    const call = another.route().with({ timeout: 1 }).get();
    expect(again.listeners.size).toBe(1);
    expect((await failureOf(call)).code).toBe('TIMEOUT');
    expect(again.listeners.size).toBe(0);
  }
});

test('the signal cancels every call, those of derived clients too, and leaves no listener', async () => {
  const controller = new AbortController();
  const signal = countedSignal(controller);
  const client = createClient({ url, fetch: gate().fetch, signal });
  const clients = [client, client.with({ headers: { a: '1' } }), client.database('other')];
  const calls = clients.map((one) => failureOf(one.route().get()));
  const twice = failureOf(client.route().with({ signal }).get());
  expect(signal.listeners.size).toBe(1);
  controller.abort('enough');
  for (const failure of await Promise.all([...calls, twice])) {
    expect(failure).toMatchObject({ code: 'ABORTED', cause: 'enough' });
  }
  expect(signal.listeners.size).toBe(0);
  expect((await failureOf(client.route().get())).code).toBe('ABORTED');
  expect(signal.listeners.size).toBe(0);
});

test('a call that ends leaves the others on the signal alone', async () => {
  const { fetch, open } = gate();
  const own = new AbortController();
  const controller = new AbortController();
  const signal = countedSignal(controller);
  const client = createClient({ url, fetch, signal });
  const one = failureOf(client.route().with({ signal: own.signal }).get());
  const two = client.route().get();
  own.abort('mine');
  expect((await one).cause).toBe('mine');
  expect(signal.listeners.size).toBe(1);
  open();
  expect((await two).ok).toBe(true);
  expect(signal.listeners.size).toBe(0);
});

test('waits between retries leave no listener on the signal passed to `fetch`', async () => {
  const signals: CountedSignal[] = [];
  const before: number[] = [];
  const fetch = async (_url: string, { signal }: RequestInit): Promise<Response> => {
    if (signal && signals.length === 0) signals.push(countedSignal({ signal }));
    before.push(signals[0]?.listeners.size ?? -1);
    return new Response(null, { status: before.length < 3 ? 503 : 200 });
  };
  const client = createClient({ url, fetch, timeout: 60_000 });
  expect((await client.route().get()).status).toBe(200);
  expect(before).toEqual([0, 0, 0]);
});

test('a call that is cancelled between two attempts leaves no timer', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const controller = new AbortController();
  const client = createClient({
    url,
    fetch: async () => new Response(null, { status: 503, headers: { 'retry-after': '50' } }),
    observe: () => void setImmediate(() => controller.abort()),
    signal: controller.signal,
  });
  const before = timers();
  expect((await failureOf(client.route().get())).code).toBe('ABORTED');
  expect(timers()).toBeLessThanOrEqual(before);
});
