import { expect, test } from 'vitest';
import { createMock } from '../../../src/mock/index.ts';

test.each<[string, object]>([
  ['an option in the wrong argument', { '/x': { get: () => ({}) }, global: true }],
  ['a method and a path in one key', { 'GET /x': () => ({}) }],
  ['a handler without a method', { '/x': () => ({}) }],
  ['nothing', { '/x': null }],
])('mock.service refuses %s, which would add nothing', async (_, handlers) => {
  const mock = await createMock();
  // The cast: a caller without types.
  expect(() => mock.service('orders', handlers as never)).toThrow('handlers: expected functions by method, for paths');
  // A path may be undefined, as in a spread of routes.
  mock.service('orders', { '/x': undefined } as never)();
});
