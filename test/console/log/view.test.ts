import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LogIndex } from '../../../src/console/page/log/reader/log-index.js';
import { widthFor } from '../../../src/console/page/log/reader/timeline.js';
import { toView } from '../../../src/console/page/log/reader/view.js';
import type { Who } from '../../../src/console/page/log/reader-messages.js';
import type { DecisionLine } from '../../../src/policy/decision-line/line.js';
import { decisionOf } from './logs-of-tests.js';

function indexOf(decisions: readonly DecisionLine[]): LogIndex {
  const log = new LogIndex();
  for (const [i, decision] of decisions.entries()) log.add({ line: i + 1, decision });
  return log;
}

const all = { who: undefined, action: undefined, most: 1_000 };
const user = (name: string): Who => ({ kind: 'user', name });

describe('the view of a log', () => {
  const log = indexOf([
    decisionOf({ time: '2026-11-20T12:00:01Z' }),
    decisionOf({ time: '2026-11-20T12:00:02Z', subject: { user: 'bob', groups: ['g1'] }, effect: 'Deny' }),
    decisionOf({ time: '2026-11-20T12:00:03Z', subject: { user: 'bob' }, action: 'orders:write', effect: 'Deny' }),
    decisionOf({ time: '2026-11-20T12:00:04Z', subject: { user: 'bob' } }),
    decisionOf({ time: '2026-11-20T12:00:05Z', subject: {} }),
    decisionOf({ time: '2026-11-20T12:00:05Z', subject: { groups: ['clerk'] }, effect: 'Deny', enforced: false }),
    decisionOf({ time: '2026-11-20T12:00:06Z', subject: { userHash: 'h1' }, masked: ['/subject/user'] }),
  ]);

  test('lists denials first, with the time of the last one', () => {
    const { denied, allowed, deniedInVain, users, actions, questions } = toView(log, all);
    expect([denied, allowed, deniedInVain]).toEqual([3, 4, 1]);
    expect(users.rows.map(({ who, denied: count }) => [who.kind, who.name, count])).toEqual([
      ['user', 'bob', 2],
      ['roles', 'clerk', 1],
      ['user', 'alice', 0],
      ['superuser', '', 0],
      ['hash', 'h1', 0],
    ]);
    expect(users.rows[0]).toMatchObject({ allowed: 1, lastSeen: '2026-11-20T12:00:03Z' });
    expect(actions.rows.map(({ action }) => action)).toEqual(['orders:read', 'orders:write']);
    expect(questions.rows[0]).toMatchObject({ who: user('bob'), groups: ['g1'], denied: 1 });
    expect(questions.all).toBe(7);
  });

  test('narrows to a user and an action, and still lists the others of each', () => {
    const view = toView(log, { ...all, who: user('bob'), action: 'orders:read' });
    expect([view.denied, view.allowed]).toEqual([1, 1]);
    expect(view.actions.rows.map(({ action }) => action)).toEqual(['orders:read', 'orders:write']);
    expect(view.users.rows.map(({ who }) => who.name)).toContain('alice');
    expect(view.questions.all).toBe(2);
    expect(view.buckets.reduce((sum, { denied, allowed }) => sum + denied + allowed, 0)).toBe(2);
  });

  test('cuts each list, and says how long it is', () => {
    const { users, questions } = toView(log, { ...all, most: 2 });
    expect([users.rows.length, users.all, questions.rows.length, questions.all]).toEqual([2, 5, 2, 7]);
  });

  test('counts no decision whose question is not known', () => {
    const unknown = indexOf([
      decisionOf({ reason: 'failed', effect: 'Deny' }),
      decisionOf({ subject: { userHash: 'h' }, masked: ['/subject/user', '/resource'] }),
    ]);
    expect(toView(unknown, all)).toMatchObject({
      denied: 0,
      allowed: 0,
      unknown: 2,
      buckets: [],
      questions: { all: 0 },
    });
    expect(toView(log, all).unknown).toBe(0);
  });

  test('tells questions of one hash with different groups apart', () => {
    const hashed = (groups: readonly string[]) =>
      decisionOf({ subject: { userHash: 'h', groups }, masked: ['/subject/user'] });
    const { questions } = toView(indexOf([hashed(['g1']), hashed(['g2']), hashed(['g1'])]), all);
    expect(questions.rows.map(({ groups, allowed }) => [...groups, allowed])).toEqual([
      ['g1', 2],
      ['g2', 1],
    ]);
  });

  test('draws no time that does not exist, and counts its decision', () => {
    const odd = indexOf([decisionOf({ time: '2026-99-99T12:00:00Z' }), decisionOf()]);
    const { allowed, buckets } = toView(odd, all);
    expect([allowed, buckets]).toEqual([2, [{ from: Date.UTC(2026, 10, 20, 12), denied: 0, allowed: 1 }]]);
    const oddOnly = toView(indexOf([decisionOf({ time: '2026-99-99T12:00:00Z' })]), all);
    expect([oddOnly.allowed, oddOnly.buckets, oddOnly.widthMs]).toEqual([1, [], 1_000]);
  });
});

test('the intervals of any log are at most 60, cover it, and count each decision once', () => {
  const line = fc.record({
    ms: fc.integer({ min: 0, max: 4_000_000_000_000 }),
    name: fc.constantFrom('alice', 'bob', '__proto__', ''),
    action: fc.constantFrom('a:b', 'constructor'),
    isDenied: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 50 }), fc.integer({ min: 0, max: 12 }), (lines, scale) => {
      const decisions = lines.map(({ ms, name, action, isDenied }) =>
        decisionOf({
          time: new Date(Math.floor(ms / 10 ** scale)).toISOString(),
          subject: { user: name },
          action,
          effect: isDenied ? 'Deny' : 'Allow',
        }),
      );
      const log = indexOf(decisions);
      for (const who of [undefined, user('__proto__')]) {
        const wanted = decisions.filter(({ subject }) => who === undefined || subject.user === who.name);
        // A Deny of the empty user is one of no user.
        const { buckets, widthMs, denied, allowed } = toView(log, { ...all, who });
        expect([denied, allowed]).toEqual(
          ['Deny', 'Allow'].map((effect) => wanted.filter((one) => one.effect === effect).length),
        );
        expect(buckets.length).toBeLessThanOrEqual(60);
        for (const [i, { from }] of buckets.entries()) {
          expect(from % widthMs).toBe(0);
          expect(from).toBe((buckets[0]?.from ?? 0) + i * widthMs);
        }
        for (const { from, denied: no, allowed: yes } of buckets) {
          const inside = wanted.filter(({ time }) => Math.floor(Date.parse(time) / widthMs) * widthMs === from);
          expect([no, yes]).toEqual(
            ['Deny', 'Allow'].map((effect) => inside.filter((one) => one.effect === effect).length),
          );
        }
        expect(buckets.reduce((sum, one) => sum + one.denied + one.allowed, 0)).toBe(wanted.length);
      }
    }),
  );
});

test.each([
  [0, 0, 1],
  [0, 59, 1],
  [0, 60, 2],
  [0, 3_600, 120],
  [0, 86_400, 1_800],
  [0, 10 * 365 * 86_400, 112 * 86_400],
  [0, 0xffff_ffff, 843 * 86_400],
])('the span from %i to %i has intervals of %i seconds', (first, last, width) => {
  expect(widthFor(first, last)).toBe(width);
});
