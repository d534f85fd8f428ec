import { isHttpError } from '../../base/errors.js';
import { inParallel } from '../../base/lib/parallel.js';
import { quietly } from '../../base/lib/quietly.js';
import { sleep } from '../../base/lib/wait.js';
import { type Change, type Content, describeItem, type Step, takesOver } from '../model/change.js';
import { formatRefusal } from '../plan/format-own.js';
import { formatTakeOver } from '../plan/format-unknown.js';
import { locksOut, type OwnAccess } from '../plan/own-access.js';
import type { Plan } from '../plan/plan.js';
import type { PermissionsClient } from '../read-state.js';
import { ApplyError } from './apply-error.js';
import { IndexWatch, isRefused } from './index-watch.js';
import { Items } from './items.js';
import { Markers } from './markers.js';
import type { Applied, ApplyOptions } from './options.js';
import { checkOwn, type OwnCheck } from './own-check.js';
import { sameContent } from './same-content.js';

/** A write with a response. */
interface Written {
  readonly content: Content;
  readonly index: number;
  /** The highest known index of the kind when the item was read. */
  readonly seen: number | undefined;
}

/** Stops a run that detected another writer. */
class Conflict extends Error {}

/** Stops a run before its first call because it would overwrite items that their file does not own. */
class Foreign extends Error {}

/** Stops a run before its first write because its caller is not allowed to finish. */
class Lockout extends Error {
  readonly access: OwnAccess;

  constructor(access: OwnAccess) {
    super();
    this.access = access;
  }
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  const [first, second]: [T[], T[]] = [[], []];
  for (const item of items) (isFirst(item) ? first : second).push(item);
  return [first, second];
}

/** One run of a plan. Create a new one for each run. */
export class Run {
  readonly #client: PermissionsClient;
  readonly #items: Items;
  readonly #plan: Plan;
  readonly #options: ApplyOptions;
  readonly #total: number;
  readonly #watch = new IndexWatch();
  readonly #markers: Markers;
  readonly #done: Step[] = [];
  readonly #unanswered: Step[] = [];
  /** The items that another writer changed, each with its problem. Concurrent calls may find several. */
  readonly #conflicts = new Map<Change, string>();
  /** The contents that each change passes through, from the current one to the last. */
  readonly #ways: readonly Content[][];
  /** The last write of this run for each change. */
  readonly #written = new Map<number, Written>();
  /** The last write of this run for each kind. */
  readonly #newest = new Map<Change['kind'], { readonly index: number; readonly revision: string }>();
  #skipped = 0;
  /** The permissions of the caller, read before the first call. */
  #own: OwnCheck | undefined;

  constructor(client: PermissionsClient, plan: Plan, options: ApplyOptions) {
    this.#client = client;
    this.#items = new Items(client);
    this.#markers = new Markers(this.#items, this.#watch, plan);
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
      if (!this.#options.takeOver && this.#plan.changes.some(takesOver)) throw new Foreign();
      if (this.#total > 0) await this.#checkOwn();
      for (const stage of this.#plan.stages) {
        const before = this.#done.length;
        // A change has at most one step in a stage.
        const steps = stage.map((step) => {
          const place = (places.get(step.change) ?? 0) + 1;
          places.set(step.change, place);
          return [step, place] as const;
        });
        // Items are created first: this overwrites nothing, and the responses tell the index.
        const [creating, others] = partition(steps, ([step, place]) => this.#creates(step, place));
        for (const part of [creating, others]) {
          await inParallel(part, { concurrency, signal }, ([step, place]) => this.#step(step, place));
        }
        const wrote = this.#done.length > before;
        if (wrote && settleMs > 0 && stage !== this.#plan.stages.at(-1)) await sleep(settleMs, { signal });
      }
      await this.#findOverwritten();
    } catch (error) {
      // A writer that was detected at one item may also have overwritten others.
      if (this.#conflicts.size > 0) await this.#findOverwritten().catch(() => {});
      throw this.#failure(error);
    }
    if (this.#conflicts.size > 0) throw this.#failure(new Conflict());
    const revisions = Array.from(this.#newest.values(), ({ revision }) => revision);
    return { wrote: this.#done.length, skipped: this.#skipped, left: this.#plan.operator.changes, revisions };
  }

  /** Refuses a plan if its caller may not make all of its calls or would lose management permissions. */
  async #checkOwn(): Promise<void> {
    const { signal, allowSelfLockout = false } = this.#options;
    this.#own = await checkOwn(this.#client, this.#plan, signal);
    if (!allowSelfLockout && locksOut(this.#own.access)) throw new Lockout(this.#own.access);
  }

  #creates({ change, content }: Step, place: number): boolean {
    return content !== null && this.#ways[change]?.[place - 1] === null;
  }

  async #step(step: Step, place: number): Promise<void> {
    // The cast: steps name changes of their plan.
    const change = this.#plan.changes[step.change] as Change;
    const way = this.#ways[step.change] ?? [];
    const conflict = (message: string): never => {
      this.#conflicts.set(change, message);
      throw new Conflict();
    };
    const isMade = (content: Content) => way.slice(place).some((later) => sameContent(change.kind, content, later));
    let seen = this.#watch.highest(change.kind);
    let now = await this.#items.read(change);
    if (seen === undefined && now.content !== null && !isMade(now.content)) {
      // Overwriting: first make the index known, then read the item again.
      await this.#markers.show(change, (need) => this.#own?.may(need) ?? false);
      seen = this.#watch.highest(change.kind);
      now = await this.#items.read(change);
    }
    if (isMade(now.content)) {
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
      sent = await this.#watch.send(change.kind, () => this.#write(change, before, step.content));
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

  async #write(change: Change, before: Content, content: Content): Promise<{ readonly index: number }> {
    const written = await this.#items.write(change, before, content);
    if (written.index > (this.#newest.get(change.kind)?.index ?? 0)) this.#newest.set(change.kind, written);
    return written;
  }

  /**
   * Finds items of this run that another writer has overwritten since, or whose former content another writer had
   * changed.
   */
  async #findOverwritten(): Promise<void> {
    const { concurrency } = this.#options;
    const add = (change: Change, problem: string) => {
      if (!this.#conflicts.has(change)) this.#conflicts.set(change, problem);
    };
    const look = inParallel([...this.#written], { concurrency }, async ([at, { content, index, seen }]) => {
      // The cast: steps name changes of their plan.
      const change = this.#plan.changes[at] as Change;
      if (this.#watch.isForeignBetween(change.kind, seen, index)) {
        add(change, 'may have overwritten what another writer wrote');
      }
      const now = await this.#items.read(change);
      const isSame = sameContent(change.kind, now.content, content) && (now.index === undefined || now.index === index);
      if (!isSame) add(change, 'was overwritten by another writer');
    });
    await look.catch((error) => {
      // The caller has accepted to lose the permission to read these items.
      const isLost = this.#own !== undefined && locksOut(this.#own.access);
      if (!isLost || !isHttpError(error) || error.status !== 403) throw error;
    });
  }

  #report(change: Change, wrote: boolean): void {
    const done = this.#done.length + this.#skipped;
    const told: unknown = this.#options.onProgress?.({ done, total: this.#total, change, wrote });
    // The rejection of an asynchronous function must not end the program in the middle of a plan.
    void quietly(() => told);
  }

  #failure(cause: unknown): ApplyError {
    const plan = this.#plan;
    const conflicts = [...this.#conflicts.keys()];
    const problems = [...this.#conflicts].map(([change, problem]) => `${describeItem(change)} ${problem}`);
    if (cause instanceof Lockout) problems.push(...formatRefusal(cause.access));
    else if (cause instanceof Foreign) problems.push(...formatTakeOver(plan.changes));
    else if (!(cause instanceof Conflict)) {
      const why = cause instanceof Error ? `: ${cause.message}` : '';
      problems.unshift(`apply ${this.#options.signal?.aborted ? 'was stopped' : 'failed'}${why}`);
    }
    const { leftover } = this.#markers;
    if (leftover) problems.push(`${describeItem(leftover)} is left, which grants nothing: delete it`);
    const callerAccess = cause instanceof Lockout ? cause.access : undefined;
    const stopped = { plan, conflicts, done: this.#done, unanswered: this.#unanswered, own: callerAccess };
    const isOurs = [Conflict, Lockout, Foreign].some((one) => cause instanceof one);
    return new ApplyError(problems, stopped, isOurs ? undefined : cause);
  }
}
