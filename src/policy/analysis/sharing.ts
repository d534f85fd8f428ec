import { remember } from '../../base/lib/remember.js';
import { disjoint, Heads, nameIn, type OwnScope, readOwnScope } from './own-names.js';
import type { Alternative, RoleRules } from './read-evaluator.js';
import { type Area, type Pair, sortExceptions, tidy } from './region.js';
import type { Rules, Space } from './space.js';
import { exactBegin, rename } from './text-shape.js';

/** Names of a user with equal access below each. The first name represents all of them. */
export type OwnNames = readonly string[];

/** A part of users' access that is computed once for all users with the same part apart from names. */
export interface SharedPart {
  /** Equal for parts that differ only in names. */
  readonly key: string;
  readonly names: readonly OwnNames[];
  /** For each state, the alternatives of this part; the first of `names` represents all. */
  lists(): readonly (readonly Alternative[])[];
}

/** An area in which a placeholder stands for the names of a user. */
export interface SharedArea {
  /** Contains `placeholder` only if `kinds` has a single entry. */
  readonly area: Area;
  /** The kinds of names that occur, as indexes of `SharedPart.names`. */
  readonly kinds: readonly number[];
  /** For each of `kinds`, the name in the area that stands for it. */
  readonly standIns: readonly string[];
}

/** A name that no pattern contains, because patterns are well-formed Unicode. */
export const placeholder = '\ud801';

/** The names of all own scopes, without names that begin with another name. */
function namesOf(scopes: readonly (OwnScope | undefined)[]): ReadonlySet<string> {
  const [first, ...others] = new Set(scopes.flatMap((scope) => scope?.names ?? []));
  if (first === undefined) return new Set();
  return others.length === 0 ? first : disjoint(new Set([first, ...others].flatMap((names) => [...names])));
}

/** True if the resource of a pair lies below a name. */
export const inPlaceOf = ({ resource }: Pair, name: string): boolean =>
  nameIn(exactBegin(resource), new Set([name])) !== undefined;

/** Moves a pair from one name to another. */
export const renamePair = (pair: Pair, from: string, to: string): Pair => ({
  ...pair,
  resource: rename(pair.resource, from, to),
});

/** Replaces a name in an area by the placeholder. */
function toTemplate({ pair, except, because }: Area, name: string): Area {
  const toPlaceholder = (pair: Pair) => (inPlaceOf(pair, name) ? renamePair(pair, name, placeholder) : pair);
  return { pair: toPlaceholder(pair), except: except.map(toPlaceholder), because };
}

/** Finds equal parts of users' access, so that each part is computed once. */
export class Sharing {
  readonly #space: Space;
  readonly #scopes = new Map<Rules, { readonly own: OwnScope | undefined }>();
  readonly #heads = new Map<object, Heads>();
  readonly #roles = new Map<RoleRules, number>();
  readonly #numbers = new Map<string, number>();
  #serial = 0;

  constructor(space: Space) {
    this.#space = space;
  }

  /** Splits the alternatives of a user into parts, for each of several states. */
  parts(lists: readonly (readonly Alternative[])[]): readonly SharedPart[] {
    const all = lists.flat();
    const scopes = all.map((alternative) => this.#ownScope(alternative));
    const names = namesOf(scopes);
    const kinds = this.#kinds(names, all, scopes);
    let at = 0;
    const frame = lists
      .map((list) => list.map((alternative) => this.#frameKey(alternative, scopes[at++])).join())
      .join(';');
    const part = (of: typeof kinds): SharedPart => ({
      key: [frame, ...of.map(([key]) => key)].join('#'),
      names: of.map(([, own]) => own),
      lists: () => this.#reduce(lists, names, new Set(of.map(([, [standIn]]) => standIn as string))),
    });
    // If all scopes are lists of names, different names do not affect each other.
    const isOwn = kinds.length > 0 && scopes.every((scope) => scope !== undefined);
    return isOwn ? kinds.map((kind) => part([kind])) : [part(kinds)];
  }

  /** Prepares the areas of a part to be filled in for other users. */
  share(areas: readonly Area[], { names }: Pick<SharedPart, 'names'>): readonly SharedArea[] {
    const standIns = names.map(([name]) => name as string);
    const places = new Map(standIns.map((name, kind) => [name, kind]));
    return areas.map((common) => {
      const area = tidy(common, this.#space.work);
      const used = [area.pair, ...area.except].flatMap(({ resource }) => {
        const name = nameIn(exactBegin(resource), places);
        return name === undefined ? [] : (places.get(name) as number);
      });
      const kinds = [...new Set(used)];
      const [kind] = kinds;
      if (kind === undefined || kinds.length > 1) return { area, kinds, standIns };
      return { area: sortExceptions(toTemplate(area, standIns[kind] as string)), kinds, standIns };
    });
  }

  /** Sorts names into kinds of equal access, each with a key. */
  #kinds(
    names: ReadonlySet<string>,
    all: readonly Alternative[],
    scopes: readonly (OwnScope | undefined)[],
  ): readonly (readonly [string, OwnNames])[] {
    if (names.size === 0) return [];
    const heads = new Set<Heads>();
    for (const [i, { role, scopes: general }] of all.entries()) {
      heads.add(this.#headsOf(role, () => [...role.allow.map(({ pair }) => pair), ...role.deny]));
      const scope = scopes[i];
      if (scope === undefined) {
        for (const area of general) {
          heads.add(this.#headsOf(area, () => [...area.allow.map(({ pair }) => pair), ...area.deny]));
        }
      } else if (scope.common.length > 0) heads.add(this.#headsOf(scope, () => scope.common));
    }
    const kinds = new Map<string, string[]>();
    for (const name of names) {
      this.#space.work.spend(1 + all.length);
      const below = new Map<OwnScope, number>();
      const inside = scopes.map((own) =>
        own === undefined ? '' : remember(below, own, () => this.#numberOf(own.below(name))),
      );
      const outside = Array.from(heads, (head) => this.#numberOf(head.signature(name)));
      const key = `${inside.join()}/${outside.join()}`;
      remember(kinds, key, (): string[] => []).push(name);
    }
    return [...kinds].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #frameKey({ via, role, scopes }: Alternative, own: OwnScope | undefined): string {
    const place = remember(this.#roles, role, () => this.#roles.size);
    if (own === undefined) {
      const contents = scopes.map((scope) => this.#space.contentOf(scope, [scope]));
      return `${via}:${place}:${contents.join('+')}`;
    }
    const common = own.common.map(({ action, resource }) => JSON.stringify([action.key, resource.key]));
    return `${via}:${place}:own${common.length > 0 ? this.#numberOf(common.sort().join()) : ''}`;
  }

  #ownScope({ via, scopes }: Alternative): OwnScope | undefined {
    const [only] = scopes;
    if (via !== 'binding' || only === undefined || scopes.length > 1) return undefined;
    return remember(this.#scopes, only, () => ({ own: readOwnScope(only) })).own;
  }

  #headsOf(material: object, pairs: () => readonly Pair[]): Heads {
    return remember(this.#heads, material, () => new Heads(pairs(), this.#space.work));
  }

  /** Limits the scopes to the names of `keptNames`. */
  #reduce(
    lists: readonly (readonly Alternative[])[],
    names: ReadonlySet<string>,
    keptNames: ReadonlySet<string>,
  ): readonly (readonly Alternative[])[] {
    if (keptNames.size === names.size) return lists;
    const byScope = new Map<OwnScope, Rules>();
    // Numbers below zero are unused: the space counts from zero.
    const keep = (scope: OwnScope) => remember(byScope, scope, () => scope.keep(names, keptNames, --this.#serial));
    return lists.map((list) =>
      list.map((alternative) => {
        const scope = this.#ownScope(alternative);
        return scope === undefined ? alternative : { ...alternative, scopes: [keep(scope)] };
      }),
    );
  }

  #numberOf(text: string): number {
    return remember(this.#numbers, text, () => this.#numbers.size);
  }
}
