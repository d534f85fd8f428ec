import { afterEach, describe, expect, test, vi } from 'vitest';
import { renewing } from '../../../src/client/credentials/renewing.ts';
import type { CredentialsContext } from '../../../src/index.ts';

afterEach(() => void vi.restoreAllMocks());

/** Credentials with a source in memory and the test's clock. Tokens are t1, t2, … and last 100 s. */
function create() {
  const state = { ms: 0, asked: 0, broken: false };
  // The cast: this source needs no connection.
  const context = { clock: { now: () => state.ms } } as CredentialsContext;
  const kept = renewing(async () => {
    state.asked += 1;
    if (state.broken) throw new Error('down');
    return { token: `t${state.asked}`, lifetimeMs: 100_000 };
  });
  return { state, context, kept };
}

describe('a token of 100 s', () => {
  test('is used for 99 s: it may expire within its last second', async () => {
    const { state, context, kept } = create();
    state.ms = 5_000;
    expect(kept.currentToken?.(context)).toBeUndefined();
    await kept.authorize(context);
    state.ms = 5_000 + 98_999;
    expect(kept.currentToken?.(context)).toBe('Bearer t1');
    state.ms = 5_000 + 99_000;
    expect(kept.currentToken?.(context)).toBeUndefined();
    expect(await kept.authorize(context)).toBe('Bearer t2');
  });

  test.each([
    [0, 75_000],
    [0.5, 80_000],
  ])('is renewed beside the first call after its renewal time (random %d: %d ms)', async (random, ms) => {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    const { state, context, kept } = create();
    await kept.authorize(context);
    const beside: Promise<unknown>[] = [];
    const call = { waitUntil: (work: Promise<unknown>) => void beside.push(work) };
    state.ms = ms - 1;
    await kept.authorize(context, call);
    expect([state.asked, beside.length]).toEqual([1, 0]);
    state.ms = ms;
    expect(await kept.authorize(context, call)).toBe('Bearer t1');
    expect([state.asked, beside.length]).toEqual([2, 1]);
    await beside[0];
    expect(await kept.authorize(context)).toBe('Bearer t2');
  });

  test.each([
    [0, [500, 1_000, 2_000]],
    [1, [1_000, 2_000, 4_000]],
  ])('whose renewal fails is requested again after 1 s, doubled, jittered (random %d)', async (random, waits) => {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    const { state, context, kept } = create();
    await kept.authorize(context);
    state.broken = true;
    state.ms = 85_000;
    for (const [index, wait] of waits.entries()) {
      const work: Promise<unknown>[] = [];
      expect(await kept.authorize(context, { waitUntil: (beside) => void work.push(beside) })).toBe('Bearer t1');
      expect(state.asked).toBe(2 + index);
      // A background failure rejects no call.
      expect(await Promise.all(work)).toEqual([undefined]);
      state.ms += wait - 1;
      await kept.authorize(context);
      expect(state.asked).toBe(2 + index);
      state.ms += 1;
    }
  });
});

describe('a refused token', () => {
  test('is renewed, unless another token is cached already', async () => {
    const { state, context, kept } = create();
    const first = (await kept.authorize(context)) ?? '';
    expect(await kept.reject?.(first, context)).toBe(true);
    expect([state.asked, kept.currentToken?.(context)]).toEqual([2, 'Bearer t2']);
    // A call that was sent with the first token gets its 401 late.
    expect(await kept.reject?.(first, context)).toBe(true);
    expect(state.asked).toBe(2);
  });

  test('is not renewed during the backoff, but at once after retryNow', async () => {
    const { state, context, kept } = create();
    const first = (await kept.authorize(context)) ?? '';
    state.broken = true;
    await expect(kept.reject?.(first, context)).rejects.toThrow('down');
    await expect(kept.reject?.(first, context)).rejects.toThrow('next attempt in 1 s');
    expect(state.asked).toBe(2);
    kept.retryNow(context);
    await expect(kept.reject?.(first, context)).rejects.toThrow('down');
    expect(state.asked).toBe(3);
  });
});

test('without a token a call rejects with the last failure and the time until the next attempt', async () => {
  const { state, context, kept } = create();
  state.broken = true;
  await expect(kept.authorize(context)).rejects.toThrow('down');
  state.ms = 400;
  await expect(kept.authorize(context)).rejects.toThrow(/^asking for a token failed \(next attempt in 1 s\)$/);
  state.ms = 999;
  await expect(kept.authorize(context)).rejects.toThrow('(next attempt in 1 s)');
  expect(state.asked).toBe(1);
  state.ms = 1_000;
  await expect(kept.authorize(context)).rejects.toThrow('down');
  state.ms = 1_000;
  await expect(kept.authorize(context)).rejects.toThrow('(next attempt in 2 s)');
});
