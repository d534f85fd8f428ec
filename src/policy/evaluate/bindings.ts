import type { BindingNode, TakenBinding } from './binding.js';
import { Grant, type Scope } from './compile.js';

/** The intersection of two scopes; null if one is missing. */
const intersect = (a: Scope | null, b: Scope | null): Scope | null =>
  a &&
  b && {
    node(action) {
      const both = Grant.of(action, a.node(action), b, null);
      const allow = both ? { any: false, matches: (text: string) => both.allows(text) } : undefined;
      return { allow, patterns: 2 };
    },
  };

/** The bindings of a chain, the oldest first. */
export function toList(last: TakenBinding | undefined): TakenBinding[] {
  const list: TakenBinding[] = [];
  for (let one = last; one; one = one.next) list.push(one);
  return list.reverse();
}

/** The users that an owner's bindings apply to by name: each prefix before a `:`, the longest first. */
export function* usersAbove(owner: string): Generator<string> {
  for (let end = owner.lastIndexOf(':'); end > 0; end = owner.lastIndexOf(':', end - 1)) yield owner.slice(0, end);
}

/** A chain with one binding for each role: several bindings to one role allow only what all of them allow. */
export function toChain(sorted: readonly TakenBinding[]): BindingNode | undefined {
  let last: BindingNode | undefined;
  for (const { role, scope } of sorted) {
    last = last?.role === role ? { ...last, scope: intersect(last.scope, scope) } : { role, scope, next: last };
  }
  return last;
}
