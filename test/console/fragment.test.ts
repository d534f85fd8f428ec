import { expect, test } from 'vitest';
import { readPageAddress, writePageAddress } from '../../src/console/page/fragment.js';
import { createMock } from '../../src/mock/index.js';

test('a fragment holds the view and its filters, and gives them back', () => {
  const place = { view: 'requests', filters: { text: 'orders & more', status: '4xx', user: 'alice' } };
  const fragment = writePageAddress(place);
  expect(fragment).toBe('#/requests?text=orders+%26+more&status=4xx&user=alice');
  expect(readPageAddress(fragment)).toEqual(place);
});

test('leaves empty filters out', () => {
  expect(writePageAddress({ view: 'what-if', filters: { user: '', action: '' } })).toBe('#/what-if');
});

test.each([
  ['a key of 128 bits', () => 'a1b2c3d4e5f60718293a4b5c6d7e8f90'],
  ['a password in a query', () => 'password=canary'],
  ['basic credentials', () => `Basic ${btoa('alice:canary')}`],
  ['a body', () => JSON.stringify({ user: 'alice', text: 'x'.repeat(600) })],
])('never holds %s, whatever field it was typed into', (_, text) => {
  expect(writePageAddress({ view: 'requests', filters: { text: text(), user: 'alice' } })).toBe(
    '#/requests?user=alice',
  );
});

test('never holds a token, with or without its scheme', async () => {
  await using mock = await createMock();
  const token = await mock.tokens.issue({ user: 'alice' });
  for (const text of [token, `bearer ${token}`, token.slice(0, 60)]) {
    expect(writePageAddress({ view: 'requests', filters: { text } })).toBe('#/requests');
  }
});

test.each(['#', '', '#/', '#/requests?', '#/%zz?text=%zz', '#/x?__proto__=1&constructor=2', '#/requests?a=1&a=2'])(
  'reads the hostile or broken fragment %j as data',
  (fragment) => {
    const { filters } = readPageAddress(fragment);
    expect(Object.getPrototypeOf(filters)).toBeNull();
    for (const value of Object.values(filters)) expect(typeof value).toBe('string');
  },
);
