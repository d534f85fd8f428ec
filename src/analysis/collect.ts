import { type Area, areaKey, distinct, tidy, toRegion, witnessOf } from './region.js';
import { remember } from './space.js';
import type { AccessRegion, Reason } from './types.js';
import type { Work } from './work.js';

interface Entry {
  readonly area: Area;
  readonly users: string[];
  readonly roles: string[];
  readonly because: Reason[];
}

/** Collects the areas of many subjects: each once, with all subjects that have it. */
export class Collector {
  readonly #work: Work;
  readonly #entries = new Map<string, Entry>();
  /** A cache of tidied areas, because many subjects have the same. */
  readonly #known = new Map<Area, Entry>();

  constructor(work: Work) {
    this.#work = work;
  }

  add(kind: 'users' | 'roles', name: string, areas: readonly Area[]): void {
    for (const area of areas) {
      const entry = remember(this.#known, area, () => this.#enter(area));
      if (entry[kind].at(-1) !== name) entry[kind].push(name);
    }
  }

  /** All collected areas, in order. */
  regions(): AccessRegion[] {
    return [...this.#entries]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { users, roles, because, area }]) => {
        const [[user], [role = '']] = [users.sort(), roles.sort()];
        const who = user === undefined ? { roles: [role] } : { user };
        const witness = { ...who, ...witnessOf(area) };
        return { users, roles, ...toRegion(area), witness, because: distinct(because) };
      });
  }

  #enter(area: Area): Entry {
    const tidied = tidy(area, this.#work);
    const make = (): Entry => ({ area: tidied, users: [], roles: [], because: [] });
    const entry = remember(this.#entries, areaKey(tidied), make);
    entry.because.push(...area.because);
    return entry;
  }
}
