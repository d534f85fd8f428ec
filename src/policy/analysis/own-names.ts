import { remember } from '../../base/lib/remember.js';
import type { Pair } from './region.js';
import type { Rules } from './space.js';
import { exactBegin, headOf, keyOf, type Part, partCovers, renameKey, type Shape } from './text-shape.js';
import type { Work } from './work.js';

// A scope is often a list of names that belong to one user, such as `alice-1:*` and `alice-2:*`. Names are exact
// beginnings of resources, and none begins with another, so access below one name does not depend on the other names.
// Two names give equal access if the scope has the same patterns below both, and if every other pattern matches both
// names or neither.

type Names = { has(name: string): boolean };

/** Returns the name that a text begins with (by whole segments), or undefined. */
export function nameIn(text: string | undefined, names: Names): string | undefined {
  if (text === undefined) return undefined;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    const name = text.slice(0, at);
    if (names.has(name)) return name;
  }
  return names.has(text) ? text : undefined;
}

/** Omits names that begin with another name of the set. */
export function disjoint(names: ReadonlySet<string>): ReadonlySet<string> {
  const shortest = [...names].filter((name) => nameIn(name, names) === name);
  return shortest.length === names.size ? names : new Set(shortest);
}

/** A scope in which each resource begins with a name. */
export class OwnScope {
  readonly rules: Rules;
  readonly names: ReadonlySet<string>;
  /** Denied pairs that do not lie below one of its names. */
  readonly common: readonly Pair[];
  readonly #texts = new Map<string, string[]>();

  constructor(rules: Rules, names: ReadonlySet<string>) {
    this.rules = rules;
    this.names = names;
    const common: Pair[] = [];
    const add = (sign: string, pair: Pair): boolean => {
      const name = nameIn(exactBegin(pair.resource), names);
      if (name === undefined) return false;
      const text = `${sign}${JSON.stringify([pair.action.key, renameKey(pair.resource, name, '')])}`;
      this.#texts.set(name, [...(this.#texts.get(name) ?? []), text]);
      return true;
    };
    for (const { pair } of rules.allow) add('+', pair);
    for (const pair of rules.deny) if (!add('-', pair)) common.push(pair);
    this.common = common;
  }

  /** The patterns below a name as text, equal for names with equal patterns. */
  below(name: string): string {
    const own = this.#texts.get(name);
    if (own) return own.sort().join();
    // The name comes from another scope of the user: it may be shorter than the names of this scope, or not occur here.
    const begin = `${name}:`;
    const longer = [...this.#texts].filter(([text]) => text.startsWith(begin));
    return JSON.stringify(longer.map(([text, texts]) => [text.slice(begin.length), texts.sort()]).sort());
  }

  /** Returns these rules without the ones below those of `names` that are not in `keptNames`. */
  keep(names: Names, keptNames: Names, serial: number): Rules {
    const isKept = ({ resource }: Pair): boolean => {
      const name = nameIn(exactBegin(resource), names);
      return name === undefined || keptNames.has(name);
    };
    const { allow, deny } = this.rules;
    return { serial, allow: allow.filter(({ pair }) => isKept(pair)), deny: deny.filter(isKept) };
  }
}

/** Reads a scope as an `OwnScope`; undefined unless each of its resources begins with a name. */
export function readOwnScope(rules: Rules): OwnScope | undefined {
  const names = new Set<string>();
  for (const { pair } of rules.allow) {
    const name = exactBegin(pair.resource);
    if (name === undefined) return undefined;
    names.add(name);
  }
  return names.size > 0 ? new OwnScope(rules, disjoint(names)) : undefined;
}

/** Distinguishes names by the patterns that match them. */
export class Heads {
  readonly #shapes: ReadonlySet<Shape>;
  readonly #work: Work;
  readonly #heads = new Map<number, readonly (readonly Part[])[]>();
  readonly #known = new Map<string, string>();

  constructor(pairs: Iterable<Pair>, work: Work) {
    this.#shapes = new Set(Array.from(pairs, ({ resource }) => resource));
    this.#work = work;
  }

  /** Equal for names that the same patterns match and that have equally many segments. */
  signature(name: string): string {
    const segments = name.split(':');
    const heads = this.#headsOf(segments.length);
    // Usually no pattern distinguishes names, and a cache would cost more than it saves.
    if (heads.length === 0) return `${segments.length}`;
    return remember(this.#known, name, () => {
      this.#work.spend(heads.length);
      const exact = segments.map((prefix): Part => ({ isExact: true, prefix, suffix: '' }));
      const matches = heads.map((parts) => parts.every((part, i) => partCovers(part, exact[i] as Part)));
      return `${segments.length}/${matches.map(Number).join('')}`;
    });
  }

  #headsOf(count: number): readonly (readonly Part[])[] {
    return remember(this.#heads, count, () => {
      const byKey = new Map<string, readonly Part[]>();
      for (const shape of this.#shapes) {
        this.#work.spend(1);
        const head = headOf(shape, count);
        if (head?.some(({ isExact, prefix, suffix }) => isExact || prefix !== '' || suffix !== '')) {
          byKey.set(keyOf(head), head);
        }
      }
      return [...byKey.values()];
    });
  }
}
