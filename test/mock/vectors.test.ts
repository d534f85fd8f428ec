import { afterAll, describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/mock/index.js';
import { readVectors, replay, type Send, throughFetch, throughPort } from '../support/replay.js';
import { isRelease } from '../support/thorough.ts';

/**
 * The adapters to test, and the number of exchanges that each can carry: URLs, and so `fetch`, drop encoded dot
 * segments.
 */
const ways: readonly [string, (mock: Mock) => Send | Promise<Send>, number][] = [
  ['mock.fetch', throughFetch, 4021],
  ['the port', throughPort, 4026],
];
const vectors = readVectors('vectors');
// A pull request has the port's answers from the tests of test/mock/adapters.
const needed = isRelease ? ways : ways.slice(0, 1);

describe.each(needed)('the mock answers as recorded from the real services, through %s', (_, open, exchanges) => {
  let steps = 0;

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    await using mock = await createMock({ ...vector.config, now: vector.at });
    steps += await replay(vector, await open(mock));
  });

  afterAll(() => {
    expect(steps).toBe(exchanges);
  });
});
