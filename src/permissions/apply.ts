import { isHttpError } from '../errors.js';
import { sleep } from '../lib/wait.js';
import { ApplyError } from './apply-error.js';
import { type Change, type Content, describeItem, type Step } from './change.js';
import { IndexWatch } from './index-watch.js';
import { Items } from './items.js';
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

/** An answered write. */
interface Written {
  readonly content: Content;
  readonly index: number;
  /** The highest index of the kind that was known when the item was read. */
  readonly seen: number | undefined;
}

/** True if a service refused a call. After other failures it may have been made. */
const isRefused = (error: unknown): boolean => isHttpError(error) && error.status < 500;

/** Ends the calls of a run that found another writer. */
class Conflict extends Error {}

/** One run of a plan. */
class Run {
  readonly #items: Items;
  readonly #plan: Plan;
  readonly #options: ApplyOptions;
  readonly #total: number;
  readonly #watch = new IndexWatch();
  readonly #done: Step[] = [];
  readonly #unanswered: Step[] = [];
  /** The items that another writer changed, with the problem of each. Concurrent calls may find one each. */
  readonly #conflicts = new Map<Change, string>();
  /** The contents that each change passes through, beginning with the one before it. */
  readonly #ways: readonly Content[][];
  /** This run's last write of each change. */
  readonly #written = new Map<number, Written>();
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
      await this.#findOverwritten();
    } catch (error) {
      // Another writer found once may have written elsewhere, too.
      if (this.#conflicts.size > 0) await this.#findOverwritten().catch(() => {});
      throw this.#failure(error);
    }
    if (this.#conflicts.size > 0) throw this.#failure(new Conflict());
    return { wrote: this.#done.length, skipped: this.#skipped, left: this.#plan.operator.changes };
  }

  async #step(step: Step, place: number): Promise<void> {
    // The cast: steps name changes of their plan.
    const change = this.#plan.changes[step.change] as Change;
    const way = this.#ways[step.change] ?? [];
    const conflict = (message: string): never => {
      this.#conflicts.set(change, message);
      throw new Conflict();
    };
    const seen = this.#watch.highest(change.kind);
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
    let sent: Awaited<ReturnType<IndexWatch['send']>>;
    try {
      sent = await this.#watch.send(change.kind, () => this.#items.write(change, before, step.content));
    } catch (error) {
      if (isHttpError(error) && (error.status === 409 || error.status === 404)) {
        conflict(`was ${error.status === 409 ? 'created' : 'deleted'} by another writer just now`);
      }
      if (!isRefused(error)) this.#unanswered.push(step);
      throw error;
    }
    this.#written.set(step.change, { content: step.content, index: sent.index, seen });
    this.#done.push(step);
    if (sent.isForeign) conflict(`was written, but another writer wrote a ${change.kind} at the same time`);
    this.#report(change, true);
  }

  /** Finds writes of this run that another writer has overwritten since, or that may have overwritten another's. */
  async #findOverwritten(): Promise<void> {
    const { concurrency } = this.#options;
    const add = (change: Change, problem: string) => {
      if (!this.#conflicts.has(change)) this.#conflicts.set(change, problem);
    };
    await inParallel([...this.#written], { concurrency }, async ([at, { content, index, seen }]) => {
      // The cast: steps name changes of their plan.
      const change = this.#plan.changes[at] as Change;
      if (this.#watch.isForeignBetween(change.kind, seen, index)) {
        add(change, 'may have overwritten what another writer wrote');
      }
      const now = await this.#items.read(change);
      const isSame = sameContent(change.kind, now.content, content) && (now.index === undefined || now.index === index);
      if (!isSame) add(change, 'was overwritten by another writer');
    });
  }

  #report(change: Change, wrote: boolean): void {
    this.#options.onProgress?.({ done: this.#done.length + this.#skipped, total: this.#total, change, wrote });
  }

  #failure(cause: unknown): ApplyError {
    const plan = this.#plan;
    const conflicts = [...this.#conflicts.keys()];
    const problems = [...this.#conflicts].map(([change, problem]) => `${describeItem(change)} ${problem}`);
    if (!(cause instanceof Conflict)) {
      const why = cause instanceof Error ? `: ${cause.message}` : '';
      problems.unshift(`apply ${this.#options.signal?.aborted ? 'was stopped' : 'failed'}${why}`);
    }
    const stopped = { plan, conflicts, done: this.#done, unanswered: this.#unanswered };
    return new ApplyError(problems, stopped, cause instanceof Conflict ? undefined : cause);
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
