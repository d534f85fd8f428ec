import { afterAll, describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/mock/index.js';
import { readVectors, replay, type Send, throughFetch, throughPort } from '../support/replay.js';

/** The adapters to test; add new ones here. */
const ways: readonly [string, (mock: Mock) => Send | Promise<Send>][] = [
  ['mock.fetch', throughFetch],
  ['the port', throughPort],
];
const vectors = readVectors('vectors');

describe.each(ways)('recorded exchanges of the real services, through %s', (_, open) => {
  let steps = 0;

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    await using mock = await createMock({ ...vector.config, now: vector.at });
    steps += await replay(vector, await open(mock));
  });

  afterAll(() => {
    expect(steps).toBe(3007);
  });
});
