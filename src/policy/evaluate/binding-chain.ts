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

/** Converts a linked list of bindings to an array, oldest first. */
export function toList(last: TakenBinding | undefined): TakenBinding[] {
  const list: TakenBinding[] = [];
  for (let binding = last; binding; binding = binding.next) list.push(binding);
  return list.reverse();
}

/**
 * The users or groups that an owner's bindings apply to because of their names: each prefix of the owner that ends
 * before a `:`, longest first.
 */
export function* ownersAbove(owner: string): Generator<string> {
  for (let end = owner.lastIndexOf(':'); end > 0; end = owner.lastIndexOf(':', end - 1)) yield owner.slice(0, end);
}

/** Links one binding per role: several bindings to one role are combined, and allow only what each of them allows. */
export function toChain(sorted: readonly TakenBinding[]): BindingNode | undefined {
  let last: BindingNode | undefined;
  for (const { role, scope } of sorted) {
    last = last?.role === role ? { ...last, scope: intersect(last.scope, scope) } : { role, scope, next: last };
  }
  return last;
}
