import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { rooms } from './scripts/lib/mutation-rooms.ts';

// What a mutant is run against. scripts/mutate.ts names the room.
const room = rooms[process.env.MUTATED_ROOM ?? ''];
if (room === undefined) throw new Error('MUTATED_ROOM names no room: see scripts/mutate.ts');

export default defineConfig({
  resolve: { alias: { '#platform': fileURLToPath(new URL('src/connection/ky-platform-node.ts', import.meta.url)) } },
  test: {
    include: [...room.tests],
    exclude: [...(room.without ?? [])],
    expect: { poll: { interval: 5, timeout: 15_000 } },
    testTimeout: 120_000,
  },
});
