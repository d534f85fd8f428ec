import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  test: {
    projects: [
      { extends: true, test: { name: 'jsdom', environment: 'jsdom', include: ['test/*.test.tsx'] } },
      { test: { name: 'chromium', include: ['test/*.chromium.ts'], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
