import type { Statement } from '../../index.js';
import { remember } from '../space.js';

/** Arranges actions with their resources in statements: one for all actions with the same resources. */
export function toProducts(
  byAction: ReadonlyMap<string, Iterable<string>>,
): Pick<Statement, 'actions' | 'resources'>[] {
  const byResources = new Map<string, { actions: string[]; resources: string[] }>();
  for (const [action, found] of byAction) {
    const resources = [...found].sort();
    const group = remember(byResources, JSON.stringify(resources), () => ({ actions: [] as string[], resources }));
    group.actions.push(action);
  }
  return [...byResources.values()].map(({ actions, resources }) => ({ actions: actions.sort(), resources }));
}
