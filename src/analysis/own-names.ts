import type { Pair } from './region.js';
import { exactBegin, headOf, keyOf, type Part, partCovers, renameKey, type Shape } from './shape.js';
import { type Rules, remember } from './space.js';
import type { Work } from './work.js';

// A scope is often a list of names that belong to one user, such as `alice-1:*` and `alice-2:*`. Names are exact
// beginnings of resources, none of which begins with another, so what is granted below one of them does not depend on
// the others. Below two names, the same is granted if the scope says the same of both and if each other pattern matches
// both or neither.

interface Names {
  has(name: string): boolean;
}

/** The name that a text begins with, segment by segment; undefined if there is none. */
export function nameIn(text: string | undefined, names: Names): string | undefined {
  if (text === undefined) return undefined;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    const name = text.slice(0, at);
    if (names.has(name)) return name;
  }
  return names.has(text) ? text : undefined;
}

/** The names that begin with no other one. */
export function disjoint(names: ReadonlySet<string>): ReadonlySet<string> {
  const shortest = [...names].filter((name) => nameIn(name, names) === name);
  return shortest.length === names.size ? names : new Set(shortest);
}

/** A scope whose resources all begin with names. */
export class OwnScope {
  readonly rules: Rules;
  readonly names: ReadonlySet<string>;
  /** The pairs that it denies, apart from those below its names. */
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

  /** The content below a name as text, which is equal for names with equal content. */
  below(name: string): string {
    const own = this.#texts.get(name);
    if (own) return own.sort().join();
    // Another scope of the user has a shorter name, or a name that is not here at all.
    const begin = `${name}:`;
    const longer = [...this.#texts].filter(([one]) => one.startsWith(begin));
    return JSON.stringify(longer.map(([one, texts]) => [one.slice(begin.length), texts.sort()]).sort());
  }

  /** The scope without what lies below those of the names that are not kept. */
  keep(names: Names, kept: Names, serial: number): Rules {
    const isKept = ({ resource }: Pair): boolean => {
      const name = nameIn(exactBegin(resource), names);
      return name === undefined || kept.has(name);
    };
    const { allow, deny } = this.rules;
    return { serial, allow: allow.filter(({ pair }) => isKept(pair)), deny: deny.filter(isKept) };
  }
}

/** Reads a scope whose resources all begin with names; undefined for any other one. */
export function readOwnScope(rules: Rules): OwnScope | undefined {
  const names = new Set<string>();
  for (const { pair } of rules.allow) {
    const name = exactBegin(pair.resource);
    if (name === undefined) return undefined;
    names.add(name);
  }
  return names.size > 0 ? new OwnScope(rules, disjoint(names)) : undefined;
}

/** Tells names apart by the patterns that match them. */
export class Heads {
  readonly #shapes: ReadonlySet<Shape>;
  readonly #work: Work;
  readonly #heads = new Map<number, readonly (readonly Part[])[]>();
  readonly #known = new Map<string, string>();

  constructor(pairs: Iterable<Pair>, work: Work) {
    this.#shapes = new Set(Array.from(pairs, ({ resource }) => resource));
    this.#work = work;
  }

  /** A text that is equal for names with as many segments that the same patterns match. */
  signature(name: string): string {
    const segments = name.split(':');
    const heads = this.#headsOf(segments.length);
    // Mostly no pattern tells names apart, so there is nothing worth a cache.
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
