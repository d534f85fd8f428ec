import { defineConfig } from 'vitest/config';

// The tests run the built server, without SvelteKit's plugin.
export default defineConfig({ test: { include: ['test/*.test.ts'] } });
