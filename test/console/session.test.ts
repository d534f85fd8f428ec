import { expect, test } from 'vitest';
import { statusWords } from '../../src/console/page/session.js';

test('shows as live only what the page gets news of and the replica follows', () => {
  const live = { live: true, words: 'follows every change' };
  const stale = { live: false, words: 'shows an old state' };
  expect(statusWords(true, null)).toBe('Live');
  expect(statusWords(true, live)).toBe('Live');
  expect(statusWords(true, stale)).toBe('shows an old state');
  expect([null, live, stale].map((replica) => statusWords(false, replica))).toEqual(Array(3).fill('Reconnecting'));
});
