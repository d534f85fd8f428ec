import { expect, test } from 'vitest';
import { statusWords } from '../../src/console/page/page-session.js';

test('the page says "Live" only while it is connected and the replica is live, and otherwise what it shows', () => {
  const live = { live: true, words: 'follows every change' };
  const stale = { live: false, words: 'shows an old state' };
  expect(statusWords(true, null, 0)).toBe('Live');
  expect(statusWords(true, live, 0)).toBe('Live');
  expect(statusWords(true, stale, 0)).toBe('shows an old state');
  const ages = [-1, 0, 12_900, 99_999, 100_000, 5_999_999, 7_200_000];
  expect(ages.map((age) => /there (.*) ago/.exec(statusWords(false, live, age))?.[1])).toEqual([
    '0 s',
    '0 s',
    '12 s',
    '99 s',
    '1 min',
    '99 min',
    '2 h',
  ]);
  expect(statusWords(false, null, 0)).toMatch(/^Disconnected/);
});
