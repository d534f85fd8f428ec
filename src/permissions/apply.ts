import { isHttpError } from '../errors.js';
import { sleep } from '../lib/wait.js';
import type { Policy } from '../policy/index.js';
import { ApplyError } from './apply-error.js';
import { type Change, type Content, describeItem, type Step } from './change.js';
import { IndexWatch } from './index-watch.js';
import { inParallel } from './parallel.js';
import type { Plan } from './plan.js';
import type { PermissionsClient } from './read-state.js';
import { sameContent } from './same-content.js';

/** The progress of {@link apply}. */
export interface ApplyProgress {
  /** Calls that this run made, or found already made. */
  readonly done: number;
  /** All calls of the plan. */
  readonly total: number;
  /** The change that the last call belongs to. */
  readonly change: Change;
  /** False if the call was found already made. */
  readonly wrote: boolean;
}

/** Options of {@link apply}. */
export interface ApplyOptions {
  /** Concurrent calls inside a stage, default 16. */
  readonly concurrency?: number | undefined;
  /** Milliseconds to wait between stages, in which the services' evaluators read the changes; default 2000. */
  readonly settleMs?: number | undefined;
  /** Stops before the next call; those in flight are completed. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each call. */
  readonly onProgress?: ((progress: ApplyProgress) => void) | undefined;
}

/** The result of {@link apply}. */
export interface Applied {
  /** Calls that this run made. */
  readonly wrote: number;
  /** Calls that were found already made. */
  readonly skipped: number;
  /** Changes of custom resources, which belong to the operator: use kubectl. */
  readonly left: readonly Change[];
}

interface Stored {
  readonly content: Content;
  readonly index?: number | undefined;
}

/** The management calls of one kind of item, by the change that they belong to. */
class Items {
  readonly #authorization: PermissionsClient['authorization'];

  constructor({ authorization }: PermissionsClient) {
    this.#authorization = authorization;
  }

  async read(change: Change): Promise<Stored> {
    if (change.kind === 'binding') {
      const found = (await this.#authorization.bindings.list(change.user)).find(({ role }) => role === change.role);
      return { content: found ? (found.scope ?? { statements: [] }) : null };
    }
    try {
      const { item, index } = await this.#collection(change.kind).get(change.name);
      return { content: item, index };
    } catch (error) {
      if (isHttpError(error) && error.status === 404) return { content: null };
      throw error;
    }
  }

  write(change: Change, before: Content, content: Content): Promise<{ readonly index: number }> {
    if (change.kind === 'binding') {
      const { bindings } = this.#authorization;
      const { user, role } = change;
      if (!content) return bindings.remove({ user, role });
      // The cast: the content of a binding is its scope.
      const request = { user, role, scope: content as Policy };
      return before ? bindings.replaceScope(request) : bindings.assign(request);
    }
    const items = this.#collection(change.kind);
    if (!content) return items.delete(change.name);
    // The cast: the content is of the kind of its change, whose collection this is.
    return before ? items.update(change.name, content as never) : items.create(change.name, content as never);
  }

  #collection(kind: 'policy' | 'role') {
    return kind === 'policy' ? this.#authorization.policies : this.#authorization.roles;
  }
}

const fail = (error: unknown): never => {
  throw error;
};

/** One run of a plan. */
class Run {
  readonly #items: Items;
  readonly #plan: Plan;
  readonly #options: ApplyOptions;
  readonly #total: number;
  readonly #watch = new IndexWatch();
  readonly #done: Step[] = [];
  /** The contents that each change passes through, beginning with the one before it. */
  readonly #ways: readonly Content[][];
  /** This run's last write of each change. */
  readonly #written = new Map<number, Stored>();
  #skipped = 0;

  constructor(client: PermissionsClient, plan: Plan, options: ApplyOptions) {
    this.#items = new Items(client);
    this.#plan = plan;
    this.#options = options;
    this.#ways = plan.changes.map(({ before }) => [before]);
    const steps = plan.stages.flat();
    this.#total = steps.length;
    for (const { change, content } of steps) this.#ways[change]?.push(content);
  }

  async run(): Promise<Applied> {
    const { concurrency, signal, settleMs = 2_000 } = this.#options;
    const places = new Map<number, number>();
    try {
      for (const stage of this.#plan.stages) {
        const before = this.#done.length;
        // A change has at most one step in a stage.
        const steps = stage.map((step) => {
          const place = (places.get(step.change) ?? 0) + 1;
          places.set(step.change, place);
          return [step, place] as const;
        });
        await inParallel(steps, { concurrency, signal }, ([step, place]) => this.#step(step, place));
        const wrote = this.#done.length > before;
        if (wrote && settleMs > 0 && stage !== this.#plan.stages.at(-1)) await sleep(settleMs, { signal });
      }
    } catch (error) {
      throw await this.#failure(error);
    }
    const overwritten = await this.#overwritten().catch((error) => this.#failure(error).then(fail));
    this.#refuseOverwritten(overwritten);
    return { wrote: this.#done.length, skipped: this.#skipped, left: this.#plan.operator.changes };
  }

  async #step(step: Step, place: number): Promise<void> {
    // The cast: steps name changes of their plan.
    const change = this.#plan.changes[step.change] as Change;
    const way = this.#ways[step.change] ?? [];
    const conflict = (message: string): never => {
      throw new ApplyError(`${describeItem(change)} ${message}`, [change], this.#done, this.#plan);
    };
    const now = await this.#items.read(change);
    const isLater = way.slice(place).some((content) => sameContent(change.kind, now.content, content));
    if (isLater) {
      this.#skipped++;
      return this.#report(change, false);
    }
    const before = way[place - 1] ?? null;
    if (!sameContent(change.kind, now.content, before))
      conflict('was changed by another writer after the plan was made');
    const known = this.#written.get(step.change)?.index ?? (place === 1 ? change.index : undefined);
    const isRewritten = known !== undefined && now.index !== undefined && now.index !== known;
    if (isRewritten) conflict('was written by another writer after the plan was made');
    let answer: { readonly index: number };
    try {
      answer = await this.#watch.send(
        change.kind,
        () => this.#items.write(change, before, step.content),
        () => conflict(`was written, but another writer wrote a ${change.kind} at the same time`),
      );
    } catch (error) {
      if (isHttpError(error) && (error.status === 409 || error.status === 404)) {
        conflict(`was ${error.status === 409 ? 'created' : 'deleted'} by another writer just now`);
      }
      throw error;
    }
    this.#written.set(step.change, { content: step.content, index: answer.index });
    this.#done.push(step);
    this.#report(change, true);
  }

  /** Finds writes of this run that another writer has overwritten since. */
  async #overwritten(): Promise<Change[]> {
    const found: Change[] = [];
    const { concurrency } = this.#options;
    await inParallel([...this.#written], { concurrency }, async ([at, { content, index }]) => {
      // The cast: steps name changes of their plan.
      const change = this.#plan.changes[at] as Change;
      const now = await this.#items.read(change);
      const isSame = sameContent(change.kind, now.content, content) && (now.index === undefined || now.index === index);
      if (!isSame) found.push(change);
    });
    return found;
  }

  #refuseOverwritten(overwritten: readonly Change[], first?: ApplyError): void {
    if (overwritten.length === 0) return;
    const names = overwritten.map(describeItem).join(', ');
    const message = `${first ? `${first.problem}; o` : 'O'}verwritten by another writer: ${names}`;
    const conflicts = [...new Set([...(first?.conflicts ?? []), ...overwritten])];
    throw new ApplyError(message, conflicts, this.#done, this.#plan);
  }

  #report(change: Change, wrote: boolean): void {
    this.#options.onProgress?.({ done: this.#done.length + this.#skipped, total: this.#total, change, wrote });
  }

  async #failure(error: unknown): Promise<unknown> {
    if (error instanceof ApplyError) {
      // Another writer found once may have written elsewhere, too.
      this.#refuseOverwritten(await this.#overwritten().catch(() => []), error);
      return error;
    }
    const message = this.#options.signal?.aborted ? 'was stopped' : 'failed';
    return new ApplyError(`apply ${message}`, [], this.#done, this.#plan, error);
  }
}

/**
 * Makes the calls of a plan. Each item is read again right before it is written: if it differs from what the plan
 * expects, or if the services' indexes show another writer, `apply` stops. After a crash it is safe to apply the same
 * plan again: calls that were already made are skipped.
 *
 * The services have no preconditions, so a write between the reading of an item and its writing is found only
 * afterwards, and a write before this run's first one of the same kind only by its content. At the end all written
 * items are read once more, and those that another writer has overwritten are named.
 *
 * @throws ApplyError (code `APPLY`), which lists the calls made; `cause` is the failure of a call or the reason of
 *   `signal`, and `conflicts` has the items that another writer changed.
 *
 * @example
 * ```ts
 * import { apply, plan, readState } from 'arango-services/permissions';
 *
 * const users = ['alice'];
 * const current = await readState(client, { users });
 * const desired = { ...current, policies: new Map([...current.policies, ['none', { statements: [] }]]) };
 * const { wrote } = await apply(client, plan(current, desired), { settleMs: 0 });
 * console.log(wrote);
 * ```
 */
export function apply(client: PermissionsClient, plan: Plan, options: ApplyOptions = {}): Promise<Applied> {
  return new Run(client, plan, options).run();
}
