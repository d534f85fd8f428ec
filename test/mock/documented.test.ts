import { describe, expect, test } from 'vitest';
import { createMock } from '../../src/mock/index.ts';
import { readVectors, replay, throughFetch, throughPort } from '../support/replay.ts';

const vectors = readVectors('documented');
const ways = [
  ['mock.fetch', throughFetch],
  ['the port', throughPort],
] as const;

describe.each(ways)('what the contract asks for where the observed service differs, through %s', (_, open) => {
  test.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    await using mock = await createMock({ ...vector.config, now: vector.at });
    expect(vector.config.fidelity).toBe('documented');
    expect(await replay(vector, await open(mock))).toBe(vector.steps.length);
  });
});
