import timers from 'node:timers';
import { expect, vi } from 'vitest';

// A setup file of the project `unit`. Files share a worker, and so its globals: one that is cut short may leave its
// virtual timers to the next, where no timeout ends and each test waits for its own.

const names = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] as const;

vi.useRealTimers();
for (const name of names.filter((key) => globalThis[key] !== timers[key])) {
  Object.assign(globalThis, { [name]: timers[name] });
  process.stderr.write(`${name} was not put back before ${expect.getState().testPath ?? 'a test file'}\n`);
}
