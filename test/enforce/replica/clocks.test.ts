import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReplicaOptions } from '../../../src/enforce/replica/index.ts';
import { question, replicaOf } from './support/replicas.ts';
import { alicesService, pass } from './support/services.ts';

// The age of the confirmed state, by the wall clock and the monotonic one. Uses Vitest's fake timers.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function start(options: Partial<ReplicaOptions> = {}) {
  const service = alicesService();
  const replica = replicaOf({ transport: service, ...options });
  await pass(3_000);
  expect(replica.live).toBe(true);
  return { service, replica };
}

const stale = expect.objectContaining({ code: 'REPLICA', reason: 'STALE' });

describe.each(['wall', 'monotonic'] as const)('after a suspension that only the %s clock shows', (clock) => {
  let aheadMs = 0;
  beforeEach(() => {
    aheadMs = 0;
    const { now } = performance;
    if (clock === 'monotonic') vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + aheadMs);
  });
  /** Suspends the process for this long: no timer runs. */
  function suspend(ms: number): void {
    if (clock === 'wall') vi.setSystemTime(Date.now() + ms);
    else {
      aheadMs += ms;
      vi.setSystemTime(Date.now() + 1);
    }
  }

  test('the replica is stale at the moment of the question, before any timer runs', async () => {
    const { replica } = await start({ whenStale: 'refuse' });
    suspend(50_000);
    expect([replica.live, replica.isAllowed(question)]).toEqual([true, true]);
    suspend(11_000);
    expect(() => replica.isAllowed(question)).toThrow(stale);
    expect(() => replica.assertLive()).toThrow(stale);
    expect([replica.live, replica.status.state]).toEqual([false, 'stale']);
  });

  test('serveForMs still limits stale answers', async () => {
    const { replica } = await start({ whenStale: { serveForMs: 900_000 } });
    suspend(950_000);
    expect([replica.live, replica.isAllowed(question)]).toEqual([false, true]);
    suspend(11_000);
    expect(() => replica.isAllowed(question)).toThrow(stale);
  });

  test('messages sent before do not count: the streams are reopened', async () => {
    const { service, replica } = await start();
    const states: string[] = [];
    replica.on('status', ({ state }) => states.push(state));
    const before = service.opened.length;
    service.write('bindings', 'alice:r', undefined);
    service.write('policies', 'p', { statements: [] });
    suspend(3_600_000);
    // The messages of the old streams arrive, those of the new ones cannot.
    service.refusal = 14;
    await pass(4_000);
    expect([replica.live, states]).toEqual([false, ['stale']]);
    service.refusal = undefined;
    await pass(30_000);
    expect([replica.live, replica.isAllowed(question)]).toEqual([true, false]);
    expect(service.opened.length).toBe(before + 3);
  });
});

describe('whenStale', () => {
  test('{ serveForMs }: serves that long after becoming stale, then refuses', async () => {
    const { service, replica } = await start({ whenStale: { serveForMs: 120_000 } });
    const states: string[] = [];
    replica.on('status', ({ state }) => states.push(state));
    service.frozen = true;
    await pass(62_000);
    expect([states, replica.isAllowed(question)]).toEqual([['stale'], true]);
    await pass(115_000);
    expect(replica.isAllowed(question)).toBe(true);
    await pass(8_000);
    expect(() => replica.isAllowed(question)).toThrow(stale);
    expect(() => replica.evaluateMany({ user: 'alice', items: [] })).toThrow(stale);
    service.frozen = false;
    await pass(30_000);
    expect([replica.live, replica.isAllowed(question)]).toEqual([true, true]);
  });

  test("'serve' reads no clock", async () => {
    const { replica } = await start();
    const clocks = [vi.spyOn(Date, 'now'), vi.spyOn(performance, 'now')];
    for (let i = 0; i < 100; i++) replica.evaluate(question);
    expect(clocks.map((clock) => clock.mock.calls.length)).toEqual([0, 0]);
  });

  test.each([
    [{ serveForMs: -1 }, 'serveForMs'],
    [{ serveForMs: Number.NaN }, 'serveForMs'],
    [{ serveForMs: '5' }, 'serveForMs'],
    [{ serveFor: 5 }, 'whenStale'],
    [{}, 'whenStale'],
    ['never', 'whenStale'],
  ])('rejects %o', (whenStale, field) => {
    const make = () => replicaOf({ transport: alicesService(), whenStale: whenStale as never });
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(make).toThrow(field);
  });
});
