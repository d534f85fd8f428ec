import type { Alternative, RoleRules } from './model.js';
import { disjoint, Heads, nameIn, type OwnScope, readOwnScope } from './own-names.js';
import { type Area, type Pair, sortExceptions, tidy } from './region.js';
import { exactBegin, rename } from './shape.js';
import { type Rules, remember, type Space } from './space.js';

/** Names of a user below which the same is granted. The first one stands for all of them. */
export type OwnNames = readonly string[];

/** A part of what a user has in one or more states, which is the same for many users apart from their names. */
export interface SharedPart {
  /** A key that is equal for parts that differ in names only. */
  readonly key: string;
  readonly names: readonly OwnNames[];
  /** The alternatives of this part for each state, with one name for all of `names`. */
  lists(): readonly (readonly Alternative[])[];
}

/** An area that is to be filled in with the names of a user. */
export interface SharedArea {
  /** If it has names of one kind only, `placeholder` is in their place. */
  readonly area: Area;
  /** The kinds of names that occur, as places in `SharedPart.names`. */
  readonly kinds: readonly number[];
  /** The names in the place of kinds. */
  readonly standIns: readonly string[];
}

/** A name that no pattern contains, because patterns are well-formed Unicode. */
export const placeholder = '\ud801';

/** The names of all scopes that have some, none of which begins with another. */
function namesOf(scopes: readonly (OwnScope | undefined)[]): ReadonlySet<string> {
  const [first, ...others] = new Set(scopes.flatMap((scope) => scope?.names ?? []));
  if (first === undefined) return new Set();
  return others.length === 0 ? first : disjoint(new Set([first, ...others].flatMap((names) => [...names])));
}

/** True if the resources of a pair are those below a name. */
export const inPlaceOf = ({ resource }: Pair, name: string): boolean =>
  nameIn(exactBegin(resource), new Set([name])) !== undefined;

/** The same pair below another name. */
export const renamePair = (pair: Pair, from: string, to: string): Pair => ({
  ...pair,
  resource: rename(pair.resource, from, to),
});

/** Puts the placeholder where an area has a name. */
function toTemplate({ pair, except, because }: Area, name: string): Area {
  const one = (pair: Pair) => (inPlaceOf(pair, name) ? renamePair(pair, name, placeholder) : pair);
  return { pair: one(pair), except: except.map(one), because };
}

/** Finds what users have in common, so that it is computed once for all of them. */
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

  /** The parts of a user with these alternatives in each of some states. */
  parts(lists: readonly (readonly Alternative[])[]): readonly SharedPart[] {
    const all = lists.flat();
    const scopes = all.map((one) => this.#ownScope(one));
    const names = namesOf(scopes);
    const kinds = this.#kinds(names, all, scopes);
    let at = 0;
    const frame = lists.map((list) => list.map((one) => this.#frameKey(one, scopes[at++])).join()).join(';');
    const part = (of: typeof kinds): SharedPart => ({
      key: [frame, ...of.map(([key]) => key)].join('#'),
      names: of.map(([, own]) => own),
      lists: () => this.#reduce(lists, names, new Set(of.map(([, [standIn]]) => standIn as string))),
    });
    // Without other scopes nothing connects the names of a user.
    const isOwn = kinds.length > 0 && scopes.every((scope) => scope !== undefined);
    return isOwn ? kinds.map((kind) => part([kind])) : [part(kinds)];
  }

  /** Areas that were computed for a part, as they are to be filled in for others. */
  share(areas: readonly Area[], { names }: Pick<SharedPart, 'names'>): readonly SharedArea[] {
    const standIns = names.map(([name]) => name as string);
    const places = new Map(standIns.map((name, kind) => [name, kind]));
    return areas.map((found) => {
      const area = tidy(found, this.#space.work);
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

  /** Sorts names into kinds, with a key for each kind. */
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
        for (const one of general) {
          heads.add(this.#headsOf(one, () => [...one.allow.map(({ pair }) => pair), ...one.deny]));
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
      const outside = Array.from(heads, (one) => this.#numberOf(one.signature(name)));
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

  /** Leaves out of scopes what lies below names that are not kept. */
  #reduce(
    lists: readonly (readonly Alternative[])[],
    names: ReadonlySet<string>,
    kept: ReadonlySet<string>,
  ): readonly (readonly Alternative[])[] {
    if (kept.size === names.size) return lists;
    const known = new Map<OwnScope, Rules>();
    // Numbers below zero are free: those of the space begin with zero.
    const keep = (scope: OwnScope) => remember(known, scope, () => scope.keep(names, kept, --this.#serial));
    return lists.map((list) =>
      list.map((one) => {
        const scope = this.#ownScope(one);
        return scope === undefined ? one : { ...one, scopes: [keep(scope)] };
      }),
    );
  }

  #numberOf(text: string): number {
    return remember(this.#numbers, text, () => this.#numbers.size);
  }
}
