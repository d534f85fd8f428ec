import type { Decision, Effect } from './model.js';

/** Creates a shared, frozen decision. */
export const sharedDecision = (effect: Effect, message: string): Decision =>
  Object.freeze({ effect, message, allowed: effect === 'Allow' });

/** Combines decisions on several items and gives the services' messages: an Allow only if every item is allowed. */
export function sumUp<D extends Pick<Decision, 'effect'>>(
  items: readonly D[],
): Decision & { readonly items: readonly D[] } {
  const allowed = items.length > 0 && items.every(({ effect }) => effect === 'Allow');
  const refusal = items.length > 0 ? 'One of the requests has been denied' : 'Missing permission evaluation items';
  return { effect: allowed ? 'Allow' : 'Deny', message: allowed ? 'Access Granted' : refusal, allowed, items };
}
