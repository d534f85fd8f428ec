import { remember } from '../../../base/lib/remember.js';
import type { Statement } from '../../index.js';

/** Arranges actions with their resources in statements: one for all actions with the same resources. */
export function toProducts(
  byAction: ReadonlyMap<string, Iterable<string>>,
): Pick<Statement, 'actions' | 'resources'>[] {
  const byResources = new Map<string, { actions: string[]; resources: string[] }>();
  for (const [action, texts] of byAction) {
    const resources = [...texts].sort();
    const group = remember(byResources, JSON.stringify(resources), () => ({ actions: [] as string[], resources }));
    group.actions.push(action);
  }
  return [...byResources.values()].map(({ actions, resources }) => ({ actions: actions.sort(), resources }));
}
