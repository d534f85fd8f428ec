import type { NeededPermission } from '../../base/errors.js';
import { remember } from '../../policy/analysis/space.js';
import type { Change, Content } from '../model/change.js';
import type { PermissionKind } from '../model/model.js';
import { needsToWrite } from '../plan/needs.js';
import type { Plan } from '../plan/plan.js';
import { type IndexWatch, isRefused } from './index-watch.js';
import type { Items } from './items.js';

// Only the response to a write contains the services' index of a kind. So before an item is overwritten, a marker (an
// item that grants nothing) is created and deleted: the next response then reveals any other write between reading and
// writing the item.

/**
 * The change that creates a marker of the same kind for the same user. The user's name is cut at the first `:`, because
 * the client refuses names with one.
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

/** Makes the index of a kind known before the first item of the kind is overwritten. */
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

  /** A marker that could not be deleted; it has to be removed by hand. */
  get leftover(): Change | undefined {
    return this.#leftover;
  }

  /**
   * Makes the index of a change's kind known. If the caller may not write a marker, the highest index in the plan is
   * used instead, if there is one; an earlier deletion is then reported as another writer.
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

  /** Creates and deletes a marker; false if the service refused it. */
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
