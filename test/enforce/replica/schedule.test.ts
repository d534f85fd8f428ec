import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Schedule } from '../../../src/enforce/replica/schedule.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'], now: 1_700_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const minute = 60_000;
const pass = (ms: number) => vi.advanceTimersByTime(ms);

/** A schedule after a full read that took `readMs`, with all streams accepted. */
function followed(random = 0, readMs = 0): Schedule {
  const schedule = new Schedule(() => random);
  schedule.began();
  pass(readMs);
  schedule.done();
  schedule.accepted();
  return schedule;
}

/** A schedule whose confirming read has begun. */
function confirming(): Schedule {
  const schedule = followed();
  schedule.broke();
  schedule.accepted();
  schedule.began();
  return schedule;
}

describe('the first read', () => {
  test('is due at once, and no read is scheduled after the first', () => {
    const schedule = new Schedule(() => 0);
    expect(schedule.waitMs).toBe(0);
    schedule.began();
    expect(schedule.waitMs).toBe(Number.POSITIVE_INFINITY);
    schedule.done();
    expect(schedule.waitMs).toBe(Number.POSITIVE_INFINITY);
    schedule.accepted();
    expect([schedule.waitMs, schedule.confirmed]).toEqual([Number.POSITIVE_INFINITY, true]);
  });

  test('is retried after 250 ms with jitter, doubled up to 15 s, whether streams are accepted or not', () => {
    const schedule = new Schedule(() => 0);
    for (const [most, allAccepted] of [
      [250, true],
      [500, false],
      [1_000, true],
      [2_000, false],
      [4_000, true],
      [8_000, false],
      [15_000, true],
      [15_000, false],
    ] as const) {
      schedule.began();
      schedule.failed(allAccepted);
      expect(schedule.waitMs).toBeGreaterThanOrEqual(most / 2);
      expect(schedule.waitMs).toBeLessThanOrEqual(most);
    }
    schedule.began();
    schedule.done();
    schedule.lost(1);
    schedule.began();
    schedule.failed(true);
    expect(schedule.waitMs).toBeLessThanOrEqual(250);
  });

  test('waits less as time passes', () => {
    const schedule = new Schedule(() => 0);
    schedule.lost(1);
    schedule.began();
    schedule.lost(2);
    const before = schedule.waitMs;
    pass(100);
    expect(schedule.waitMs).toBe(before - 100);
  });
});

describe('after a break', () => {
  test.each([
    [0, 0],
    [0.5, 2_500],
    [0.999, 4_995],
  ])('a confirming read is spread over 5 s: random %d waits %d ms', (random, waitMs) => {
    const schedule = followed(random);
    schedule.broke();
    expect(schedule.waitMs).toBe(Number.POSITIVE_INFINITY);
    schedule.accepted();
    expect(schedule.waitMs).toBe(waitMs);
  });

  test('a second acceptance leaves the time of a read as it is', () => {
    const schedule = followed(0.5);
    schedule.broke();
    schedule.accepted();
    pass(1_000);
    schedule.accepted();
    expect(schedule.waitMs).toBe(1_500);
  });

  test('a second break withdraws a confirming read until all streams are accepted again', () => {
    const schedule = followed(0.5);
    schedule.broke();
    schedule.accepted();
    schedule.broke();
    expect(schedule.waitMs).toBe(Number.POSITIVE_INFINITY);
    schedule.accepted();
    expect(schedule.waitMs).toBe(2_500);
  });

  test('a break leaves a required read as it is', () => {
    const schedule = followed();
    schedule.lost(1);
    schedule.broke();
    expect(schedule.waitMs).toBe(0);
  });

  test('a confirming read takes at most one part in 200 of the time', () => {
    const schedule = confirming();
    pass(300);
    schedule.done();
    schedule.broke();
    schedule.accepted();
    expect(schedule.waitMs).toBe(200 * 300);
    pass(20_000);
    schedule.broke();
    schedule.accepted();
    expect(schedule.waitMs).toBe(200 * 300 - 20_000);
  });

  test('the wait counts the time of the read alone, not what passed before it', () => {
    const schedule = followed();
    pass(minute);
    schedule.broke();
    schedule.accepted();
    schedule.began();
    pass(300);
    schedule.done();
    schedule.broke();
    schedule.accepted();
    expect(schedule.waitMs).toBe(200 * 300);
  });

  test('the next read is due at most 10 minutes after the break if the last one was confirming', () => {
    const schedule = confirming();
    pass(10_000);
    schedule.done();
    schedule.broke();
    pass(4 * minute);
    schedule.accepted();
    expect(schedule.waitMs).toBe(6 * minute);
  });

  test('the next read is due at once if the last one was not confirming', () => {
    const schedule = followed(0, 300);
    schedule.broke();
    schedule.accepted();
    expect(schedule.waitMs).toBe(0);
  });

  test('confirmation of a copy ends 11 minutes after the first break, until it is read again', () => {
    const schedule = followed();
    schedule.broke();
    pass(5 * minute);
    // The first break counts.
    schedule.broke();
    pass(6 * minute - 1);
    expect(schedule.confirmed).toBe(true);
    pass(1);
    expect(schedule.confirmed).toBe(false);
    schedule.began();
    schedule.done();
    expect(schedule.confirmed).toBe(true);
  });

  test('a break during a read leaves the copy unconfirmed since the read began', () => {
    const schedule = confirming();
    pass(minute);
    schedule.broke();
    schedule.done();
    pass(10 * minute - 1);
    expect(schedule.confirmed).toBe(true);
    pass(1);
    expect(schedule.confirmed).toBe(false);
  });
});

describe('a failed confirming read', () => {
  test('is retried after 1 s, doubled up to 15 s, while all streams are accepted', () => {
    const schedule = confirming();
    for (const waitMs of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      schedule.failed(true);
      expect(schedule.waitMs).toBe(waitMs);
      schedule.began();
    }
    schedule.done();
    schedule.broke();
    schedule.accepted();
    schedule.began();
    schedule.failed(true);
    expect(schedule.waitMs).toBe(1_000);
  });

  test('waits for the streams otherwise', () => {
    const schedule = confirming();
    schedule.failed(false);
    expect(schedule.waitMs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('after a loss', () => {
  test('the first full read is at once, later ones after 1 s, doubled up to 45 s', () => {
    const schedule = followed();
    const waits: number[] = [];
    for (let again = 0; again <= 8; again++) {
      schedule.lost(again);
      waits.push(schedule.waitMs);
      schedule.began();
    }
    expect(waits).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 45_000]);
    schedule.lost(1);
    schedule.began();
    schedule.lost(2);
    expect(schedule.waitMs).toBe(1_000);
  });

  test('the earlier of two required reads counts', () => {
    const schedule = followed();
    schedule.lost(2);
    schedule.lost(3);
    expect(schedule.waitMs).toBe(1_000);
    schedule.lost(1);
    expect(schedule.waitMs).toBe(0);
  });

  test('a required read replaces a confirming one, also if that was earlier', () => {
    const schedule = followed();
    schedule.broke();
    schedule.accepted();
    expect(schedule.waitMs).toBe(0);
    schedule.lost(2);
    expect(schedule.waitMs).toBe(1_000);
    // It is no longer a confirming one, which a break would withdraw.
    schedule.broke();
    expect(schedule.waitMs).toBe(1_000);
  });

  test('a loss during a read leaves the copy unconfirmed', () => {
    const schedule = followed();
    schedule.began();
    schedule.lost(1);
    schedule.done();
    expect(schedule.waitMs).toBe(0);
    pass(11 * minute);
    expect(schedule.confirmed).toBe(false);
  });

  test('a loss and a break during one read leave the copy unconfirmed', () => {
    const schedule = followed();
    schedule.began();
    schedule.broke();
    schedule.lost(1);
    schedule.done();
    pass(11 * minute);
    expect(schedule.confirmed).toBe(false);
  });

  test('confirmation ends 11 minutes after the first loss without a read', () => {
    const schedule = followed();
    schedule.lost(1);
    pass(5 * minute);
    schedule.lost(2);
    pass(6 * minute - 1);
    expect(schedule.confirmed).toBe(true);
    pass(1);
    expect(schedule.confirmed).toBe(false);
  });
});
