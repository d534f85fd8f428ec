import { remember } from '../../../base/lib/remember.js';

/**
 * Chooses elements, those of most sets first, so that each set has one and no chosen one can be left out.
 * @param weightOf of elements of equally many sets, the lighter one is chosen.
 */
export function chooseCover(
  sets: readonly ReadonlySet<string>[],
  weightOf: (element: string) => number = () => 0,
): ReadonlySet<string> {
  const holders = new Map<string, Set<number>>();
  for (const [i, set] of sets.entries()) {
    for (const element of set) remember(holders, element, () => new Set<number>()).add(i);
  }
  const chosen: string[] = [];
  // Sorted once by the number of all sets: an approximation, which the second step makes minimal.
  const open = new Set(sets.keys());
  const most = [...holders].sort(([a, x], [b, y]) => y.size - x.size || weightOf(a) - weightOf(b) || (a < b ? -1 : 1));
  for (const [element, held] of most) {
    const isNeeded = [...held].some((i) => open.has(i));
    if (!isNeeded) continue;
    chosen.push(element);
    for (const i of held) open.delete(i);
  }
  const count = sets.map((set) => chosen.reduce((sum, element) => (set.has(element) ? sum + 1 : sum), 0));
  const elements = new Set(chosen);
  for (const element of chosen.reverse()) {
    const held = [...(holders.get(element) ?? [])];
    if (held.some((i) => count[i] === 1)) continue;
    elements.delete(element);
    for (const i of held) count[i] = (count[i] ?? 0) - 1;
  }
  return elements;
}
