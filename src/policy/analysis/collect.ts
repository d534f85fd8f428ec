import { remember } from '../../base/lib/remember.js';
import type { AccessException, AccessPair, AccessRegion, Reason } from './analysis-types.js';
import { type Area, areaKey, distinct, type Pair, sortExceptions, toRegionPair, witnessOf } from './region.js';
import { inPlaceOf, placeholder, renamePair, type SharedArea } from './sharing.js';

/** Up to this number of names, regions that differ only in a name are listed one by one. */
const mostNames = 10;

/** Users and roles with the same areas, apart from names. */
interface Group {
  readonly serial: number;
  readonly users: string[];
  /** For each user, the names of each kind. */
  readonly names: (readonly (readonly string[])[])[];
  readonly roles: string[];
}

const byText = (a: Reason, b: Reason): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** The reasons of equal areas: for the pair, and for each exception. Lists that are one object are kept once. */
class Reasons {
  readonly #pair = new Set<readonly Reason[]>();
  readonly #except: Set<readonly Reason[]>[] = [];

  add({ except, because }: Area): void {
    this.#pair.add(because);
    for (const [i, pair] of except.entries()) {
      this.#except[i] ??= new Set();
      if (pair.because) this.#except[i].add(pair.because);
    }
  }

  get because(): Reason[] {
    return distinct([...this.#pair].flat());
  }

  /** Exceptions, each with its reasons from all areas. */
  except(pairs: readonly AccessPair[]): AccessException[] {
    return pairs.map((pair, i) => {
      const because = distinct([...(this.#except[i] ?? [])].flat()).sort(byText);
      return because.length > 0 ? { ...pair, because } : pair;
    });
  }
}

/** An area, with the users and roles that have it. */
type Entry = { readonly area: Area; readonly users: string[]; readonly roles: string[]; readonly reasons: Reasons };

/** An area with a placeholder, and the groups whose names replace it. */
interface Template {
  readonly area: Area;
  readonly reasons: Reasons;
  readonly holders: (readonly [group: Group, kind: number])[];
}

interface Owners {
  readonly users: readonly string[];
  readonly own: readonly (readonly string[])[];
  /** True if there are too many names to list regions one by one. */
  readonly isMany: boolean;
}

/** Collects the areas of many subjects: each once, with all subjects that have it. */
export class Collector {
  readonly #isGroup: (name: string) => boolean;
  readonly #groups = new Map<readonly SharedArea[], Group>();
  readonly #entries = new Map<string, Entry>();
  readonly #templates = new Map<string, Template>();

  /** @param isGroup true for the name of a group, false for that of a role. */
  constructor(isGroup: (name: string) => boolean) {
    this.#isGroup = isGroup;
  }

  /** Adds the areas of a subject, whose placeholders stand for `names`. */
  add(
    kind: 'users' | 'roles',
    name: string,
    areas: readonly SharedArea[],
    names: readonly (readonly string[])[] = [],
  ): void {
    if (areas.length === 0) return;
    const group = remember(
      this.#groups,
      areas,
      (): Group => ({
        serial: this.#groups.size,
        users: [],
        names: [],
        roles: [],
      }),
    );
    group[kind].push(name);
    if (kind === 'users') group.names.push(names);
  }

  /** All collected areas, in order. */
  regions(): AccessRegion[] {
    for (const [areas, group] of this.#groups) for (const area of areas) this.#place(area, group);
    const regions: (readonly [key: string, AccessRegion])[] = [];
    const ownersByKey = new Map<string, Owners>();
    for (const [key, template] of this.#templates) {
      const { holders } = template;
      const owners = remember(ownersByKey, holders.map(([{ serial }, kind]) => `${serial}:${kind}`).join(), () =>
        ownersOf(holders),
      );
      if (owners.isMany) regions.push([key, ownRegion(template, owners)]);
      else {
        for (const [i, user] of owners.users.entries()) {
          const names = owners.own[i] ?? [];
          for (const area of fillIn(template.area, names)) this.#enter(area, user);
        }
      }
    }
    for (const [key, entry] of this.#entries) regions.push([key, entryRegion(entry, this.#isGroup)]);
    return regions.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, region]) => region);
  }

  #place({ area, kinds, standIns }: SharedArea, group: Group): void {
    const [kind] = kinds;
    if (kind === undefined) {
      const entry = this.#entryOf(area);
      for (const user of group.users) entry.users.push(user);
      for (const role of group.roles) entry.roles.push(role);
      entry.reasons.add(area);
    } else if (kinds.length === 1) {
      const make = (): Template => ({ area, reasons: new Reasons(), holders: [] });
      const template = remember(this.#templates, areaKey(area), make);
      template.reasons.add(area);
      template.holders.push([group, kind]);
    } else {
      // Only exceptions can contain names of several kinds: a pair below one name does not overlap a pair below another
      // name.
      for (const [i, user] of group.users.entries()) {
        const names = (kind: number) => group.names[i]?.[kind] ?? [];
        const except = area.except.flatMap((pair) => {
          const kind = kinds.find((kind) => inPlaceOf(pair, standIns[kind] as string));
          return kind === undefined ? pair : renamed(pair, standIns[kind] as string, names(kind));
        });
        this.#enter(sortExceptions({ ...area, except }), user);
      }
    }
  }

  #enter(area: Area, user: string): void {
    const entry = this.#entryOf(area);
    entry.users.push(user);
    entry.reasons.add(area);
  }

  #entryOf(area: Area): Entry {
    return remember(
      this.#entries,
      areaKey(area),
      (): Entry => ({ area, users: [], roles: [], reasons: new Reasons() }),
    );
  }
}

const renamed = (pair: Pair, from: string, names: readonly string[]): Pair[] =>
  names.map((name) => renamePair(pair, from, name));

/** Fills in a template: one area for each name, or one area that lists all names in its exceptions. */
function fillIn(area: Area, names: readonly string[]): Area[] {
  const fill = (pair: Pair, by: readonly string[]) =>
    inPlaceOf(pair, placeholder) ? renamed(pair, placeholder, by) : [pair];
  const isBelow = inPlaceOf(area.pair, placeholder);
  return (isBelow ? names.map((name) => [name]) : [names]).map((by) => {
    // The cast: one name gives one pair.
    const [pair] = fill(area.pair, by) as [Pair];
    return sortExceptions({
      pair,
      except: area.except.flatMap((exception) => fill(exception, by)),
      because: area.because,
    });
  });
}

/** The users of a template with their names, both sorted. */
function ownersOf(holders: Template['holders']): Owners {
  const namesByUser = new Map<string, Set<string>>();
  for (const [group, kind] of holders) {
    for (const [i, user] of group.users.entries()) {
      const names = remember(namesByUser, user, () => new Set<string>());
      for (const name of group.names[i]?.[kind] ?? []) names.add(name);
    }
  }
  const users = [...namesByUser.keys()].sort();
  const own = users.map((user) => [...(namesByUser.get(user) ?? [])].sort());
  return { users, own, isMany: new Set(own.flat()).size > mostNames };
}

function ownPair(pair: Pair): AccessPair {
  const { action, resource } = toRegionPair(pair);
  if (!inPlaceOf(pair, placeholder)) return { action, resource };
  const all = typeof resource === 'string' ? [resource] : resource.all;
  return { action, resource: { own: all.map((pattern) => pattern.slice(placeholder.length)) } };
}

function ownRegion({ area, reasons }: Template, { users, own }: Owners): AccessRegion {
  // The cast: a template has users, and each user has a name.
  const [[user], [names]] = [users, own] as [[string], [readonly string[]]];
  const [example] = fillIn(area, names) as [Area];
  return {
    users,
    roles: [],
    own,
    ...ownPair(area.pair),
    except: reasons.except(area.except.map(ownPair)),
    witness: { user, ...witnessOf(example) },
    because: reasons.because,
  };
}

function entryRegion({ area, reasons, ...entry }: Entry, isGroup: (name: string) => boolean): AccessRegion {
  const [users, names] = [entry.users, entry.roles].map((names) => [...new Set(names)].sort()) as [string[], string[]];
  const [groups, roles] = [names.filter(isGroup), names.filter((name) => !isGroup(name))];
  const [[user], [name = '']] = [users, [...groups, ...roles]];
  const who = user === undefined ? { roles: [name] } : { user };
  return {
    users,
    roles,
    ...(groups.length > 0 && { groups }),
    ...toRegionPair(area.pair),
    except: reasons.except(area.except.map(toRegionPair)),
    witness: { ...who, ...witnessOf(area) },
    because: reasons.because,
  };
}
