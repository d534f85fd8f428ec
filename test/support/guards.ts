import { expect } from 'vitest';
import type { Guard, ManyAccess } from '../../src/enforce/guard/index.ts';

/** A guard of one function, which is asked about each of many questions until one is refused. */
export function guardOf(check: Guard['check']): Guard {
  const checkMany = async (...[request, items]: Parameters<Guard['checkMany']>): Promise<ManyAccess> => {
    for (const item of items) {
      const access = await check(request, item);
      if (!access.allowed) return { ...access, refused: () => access };
    }
    const decided = items.map(({ action, resource }) => ({ action, resource, allowed: true }));
    return { allowed: true, status: 200, token: 't', items: decided, refused: () => expect.unreachable() };
  };
  // The cast: `guardOperation` and `operationGuards` use no other method.
  return { check, checkMany } as Partial<Guard> as Guard;
}
