import { expect, test } from 'vitest';
import { causeText, timeText, whoText, widthText } from '../../../src/console/page/log/log-words.js';
import { counted, shown } from '../../../src/console/page/ui/words.js';

test.each([
  ['alice', 'alice'],
  ['', '(empty)'],
  ['\u001b[31mred\u0007', '\ufffd[31mred\ufffd'],
  ['a\u202eb\u2066c\u200d', 'a\ufffdb\ufffdc\ufffd'],
  ['line\nline\u2028line', 'line\ufffdline\ufffdline'],
  ['alice ', 'alice\u2423'],
  [' alice', '\u2423alice'],
  ['a  b c', 'a\u2423\u2423b c'],
  ['a\u00a0b', 'a\u2423b'],
  ['  ', '\u2423\u2423'],
  ['\u3164', '\ufffd'],
  [`a${'\u0301'.repeat(90)}b`, `a${'\u0301'.repeat(3)}\ufffdb`],
  ['क्षि', 'क्षि'],
  ['x'.repeat(161), `${'x'.repeat(160)}… (161 characters)`],
])('shows %j as %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test('cuts a longer text later, if asked to', () => {
  expect(shown('x'.repeat(200), 1_000)).toBe('x'.repeat(200));
  expect(shown('\u202e'.repeat(20), 10)).toBe(`${'\ufffd'.repeat(10)}… (20 characters)`);
});

test('names subjects and causes without control characters', () => {
  const forged = 'bob\u001b[2K';
  const role = { role: forged, policy: forged, statement: 0 };
  for (const text of [
    whoText({ kind: 'user', name: forged }),
    whoText({ kind: 'hash', name: forged }),
    whoText({ kind: 'roles', name: forged }),
    causeText({ reason: 'allowed', ...role }),
  ]) {
    expect(text).toContain('bob\ufffd[2K');
  }
  expect(whoText({ kind: 'superuser', name: '' })).toBe('the superuser');
  expect(causeText({ reason: 'explicit-deny', role: 'r', statement: 1 })).toBe(
    'denied by statement 2 of the scope, role r',
  );
  expect(causeText({ reason: 'no-binding' })).toBe('the user has no binding');
});

test('writes lengths, times and counts', () => {
  expect([1_000, 600_000, 7_200_000, 86_400_000].map(widthText)).toEqual(['1 s', '10 min', '2 h', '1 d']);
  const ms = Date.UTC(2026, 10, 20, 12, 30, 15);
  expect([1_000, 600_000, 86_400_000].map((width) => timeText(ms, width))).toEqual([
    '2026-11-20 12:30:15',
    '2026-11-20 12:30',
    '2026-11-20',
  ]);
  expect([counted(1, 'line'), counted(1_234_567, 'line')]).toEqual(['1 line', '1,234,567 lines']);
});
