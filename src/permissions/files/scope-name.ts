import type { Policy, Statement } from '../../policy/index.js';

const longest = 60;

/** Words for patterns: one or both of two, or the first and the number of the others. */
function wordsOf(patterns: readonly string[]): string {
  const texts = patterns.map((pattern) => (pattern.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('-') || 'others');
  const [first = '', second, ...more] = [...new Set(texts)];
  if (second === undefined) return first;
  return more.length === 0 ? `${first}-and-${second}` : `${first}-and-${more.length + 1}-more`;
}

/** `read-on-orders` for "*:read" on "orders:*". If one side is "*", only the other side is named. */
function nameOf({ actions, resources }: Statement): string {
  const place = resources.includes('*') ? 'everywhere' : wordsOf(resources);
  if (actions.includes('*')) return place;
  return place === 'everywhere' ? wordsOf(actions) : `${wordsOf(actions)}-on-${place}`;
}

/** Cuts a long name at the end of a word. */
const cut = (name: string): string =>
  name.length > longest
    ? name
        .slice(0, longest)
        .replace(/-[^-]*$/, '')
        .replace(/-(?:and|on)$/, '')
    : name;

/** A name that describes the content of a scope: `orders-and-invoices`, `everywhere-except-secrets`. */
export function scopeName({ statements }: Policy): string {
  const [allows, denies] = (['Allow', 'Deny'] as const).map((effect) =>
    statements
      .filter(
        (statement) => statement.effect === effect && statement.actions.length > 0 && statement.resources.length > 0,
      )
      .map(nameOf),
  );
  if (!allows || allows.length === 0) return 'nowhere';
  const allowed = wordsOf(allows);
  if (!denies || denies.length === 0) return cut(allowed);
  const name = `${allowed}-except-${wordsOf(denies)}`;
  return name.length > longest ? `${cut(allowed)}-with-exceptions` : name;
}
