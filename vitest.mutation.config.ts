import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import { rooms } from './scripts/lib/mutation-rooms.ts';

// What a mutant is run against. scripts/mutate.ts names the room; without one there is no test.
const { tests = [], without = [], withoutNames } = rooms[process.env.MUTATED_ROOM ?? ''] ?? {};

/** Vitest begins with the files that took longest. The first failure ends the run of a mutant, so the short ones go first. */
class ShortestFirst extends BaseSequencer {
  override async sort(...args: Parameters<BaseSequencer['sort']>) {
    return (await super.sort(...args)).reverse();
  }
}

export default defineConfig({
  resolve: {
    alias: { '#runtime': fileURLToPath(new URL('src/client/connection/ky-runtime-node.ts', import.meta.url)) },
  },
  test: {
    include: [...tests],
    exclude: [...without],
    ...(withoutNames !== undefined && { testNamePattern: new RegExp(`^(?!.*(?:${withoutNames}))`) }),
    isolate: false,
    sequence: { sequencer: ShortestFirst },
    // A mutant that waits for what never comes is found after this time.
    expect: { poll: { interval: 5, timeout: 5_000 } },
    testTimeout: 15_000,
  },
});
