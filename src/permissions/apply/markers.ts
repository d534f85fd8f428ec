import { remember } from '../../analysis/space.js';
import type { NeededPermission } from '../../errors.js';
import type { Change, Content } from '../model/change.js';
import type { PermissionKind } from '../model/model.js';
import { needsToWrite } from '../plan/needs.js';
import type { Plan } from '../plan/plan.js';
import { type IndexWatch, isRefused } from './index-watch.js';
import type { Items } from './items.js';

// An answer to a write has the services' counter of that kind, and no other answer does. So before an item is
// overwritten, an item that grants nothing is created and deleted beside it: any write of another between the reading
// of the item and its writing then shows in the answer.

/**
 * The creation of an item that grants nothing, of the kind of a change and for the same user: without what follows a
 * `:`, because the client refuses such users.
 */
function markerBeside(change: Change): Change {
  const name = `arango-services-apply-${Math.random().toString(36).slice(2)}`;
  const description = 'Written by "arango-services permissions apply" to read a counter; can be deleted';
  const created = { action: 'create', reason: 'shows the counter', before: null } as const;
  if (change.kind === 'role') return { kind: 'role', name, ...created, after: { policies: [], description } };
  const after = { statements: [], description };
  if (change.kind === 'binding') {
    const [user = ''] = change.user.split(':');
    return { kind: 'binding', user, role: name, ...created, after };
  }
  return { kind: 'policy', name, ...created, after };
}

/** Makes the counters of kinds known before an item of the kind is overwritten. */
export class Markers {
  readonly #items: Items;
  readonly #watch: IndexWatch;
  readonly #indexes: Plan['indexes'];
  readonly #opening = new Map<PermissionKind, Promise<void>>();
  #leftover: Change | undefined;

  constructor(items: Items, watch: IndexWatch, { indexes }: Pick<Plan, 'indexes'>) {
    this.#items = items;
    this.#watch = watch;
    this.#indexes = indexes;
  }

  /** A marker that could not be deleted. */
  get leftover(): Change | undefined {
    return this.#leftover;
  }

  /**
   * Makes the counter of a change's kind known, if it is not. Where the caller may not write a marker, the highest
   * index of the plan counts, if the plan has one: then an earlier deletion looks like another writer.
   * @param may tells if the caller is known to have a permission.
   */
  async show(change: Change, may: (need: NeededPermission) => boolean): Promise<void> {
    const { kind } = change;
    await this.#watch.settled(kind);
    if (this.#watch.highest(kind) === undefined) {
      await remember(this.#opening, kind, () => this.#open(markerBeside(change), may));
    }
  }

  async #open(marker: Change, may: (need: NeededPermission) => boolean): Promise<void> {
    const { kind, after } = marker;
    const needs = [needsToWrite(marker, null, after), needsToWrite(marker, after, null)];
    const isWritable = marker.user !== '' && needs.every(may);
    if (isWritable && (await this.#isWritten(marker))) return;
    const index = this.#indexes?.[kind];
    if (index !== undefined) this.#watch.begin(kind, index);
  }

  /** Creates and deletes a marker; false if it was refused. */
  async #isWritten(marker: Change): Promise<boolean> {
    const { kind, after } = marker;
    const write = (from: Content, to: Content) => this.#watch.send(kind, () => this.#items.write(marker, from, to));
    try {
      await write(null, after);
    } catch (error) {
      if (isRefused(error)) return false;
      throw error;
    }
    this.#leftover = marker;
    await write(after, null);
    this.#leftover = undefined;
    return true;
  }
}
