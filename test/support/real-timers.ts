import timers from 'node:timers';
import { afterAll, vi } from 'vitest';

// A setup file of the project `unit`. Files share a worker, and so its globals: a file that leaves virtual timers fails,
// since no timeout of the next one would end.

const names = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] as const;

afterAll(() => {
  // Vitest does so after the file. It may bring back what a spy replaced, if that was virtual.
  vi.restoreAllMocks();
  const left = names.filter((name) => globalThis[name] !== timers[name]);
  vi.useRealTimers();
  for (const name of left) Object.assign(globalThis, { [name]: timers[name] });
  if (left.length > 0) throw new Error(`The file did not put back ${left.join(', ')}.`);
});
