import type { Decision, ManyDecisions } from './model.js';

/** Decisions on several items with their sum, in the words of the services: `allowed` only if every item is. */
export function sumUp(items: readonly Decision[]): ManyDecisions {
  const allowed = items.length > 0 && items.every((item) => item.allowed);
  if (allowed) return { effect: 'Allow', allowed, message: 'Access Granted', items };
  const message = items.length === 0 ? 'Missing permission evaluation items' : 'One of the requests has been denied';
  return { effect: 'Deny', allowed, message, items };
}
