import { vi } from 'vitest';
import { PoolService } from './pool-service.ts';
import { everywhere } from './scripted-pool.ts';

const reallySoon = setImmediate;

/** Advances virtual time, and gives sliced work its real turns of the event loop. */
export async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) {
    await vi.advanceTimersByTimeAsync(Math.min(left, 100));
    await new Promise((resolve) => reallySoon(resolve));
  }
}

/** A service that allows alice everything. */
export function alicesService(): PoolService {
  const service = new PoolService();
  service.write('policies', 'p', everywhere);
  service.write('roles', 'r', { policies: ['p'] });
  service.write('bindings', 'alice:r', { role: 'r', scope: everywhere });
  return service;
}
