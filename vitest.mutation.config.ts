import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { rooms } from './scripts/lib/mutation-rooms.ts';

// What a mutant is run against. scripts/mutate.ts names the room; without one there is no test.
const { tests = [], without = [] } = rooms[process.env.MUTATED_ROOM ?? ''] ?? {};

export default defineConfig({
  resolve: { alias: { '#platform': fileURLToPath(new URL('src/connection/ky-platform-node.ts', import.meta.url)) } },
  test: {
    include: [...tests],
    exclude: [...without],
    isolate: false,
    expect: { poll: { interval: 5, timeout: 15_000 } },
    testTimeout: 120_000,
  },
});
