import { vi } from 'vitest';
import { PoolService } from './pool-service.ts';
import { everywhere } from './scripted-pool.ts';

const reallySoon = setImmediate;

/** Lets virtual time pass, and gives the work that is cut into slices its real turns. */
export async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) {
    await vi.advanceTimersByTimeAsync(Math.min(left, 100));
    await new Promise((resolve) => reallySoon(resolve));
  }
}

/** A service in which alice may do everything. */
export function alicesService(): PoolService {
  const service = new PoolService();
  service.write('policies', 'p', everywhere);
  service.write('roles', 'r', { policies: ['p'] });
  service.write('bindings', 'alice:r', { role: 'r', scope: everywhere });
  return service;
}
