import { isCredentialsError, isHttpError, isInvalidArgumentError } from '../../base/error-guards.js';
import { inParallel } from '../../base/lib/parallel.js';
import { quietly } from '../../base/lib/quietly.js';
import { remember } from '../../base/lib/remember.js';
import { sleep } from '../../base/lib/wait.js';
import { isUnsent } from '../../client/failover/unsent.js';
import { describeItem, type ItemContent, type PlanChange, type PlanStep, takesOver } from '../model/plan-change.js';
import { sameContent } from '../model/same-content.js';
import { formatRefusal } from '../plan/format-own.js';
import { formatTakeOver } from '../plan/format-unknown.js';
import { locksOut, type OwnAccess } from '../plan/own-access.js';
import type { Plan } from '../plan/plan.js';
import type { PermissionsClient } from '../read-state.js';
import { ApplyError } from './apply-error.js';
import type { Applied, ApplyOptions } from './apply-options.js';
import { decideBegun, isAsLeft, type RecordEntry, statesOf } from './apply-record.js';
import { checkOwn } from './own-check.js';
import { type Call, callsOf } from './plan-calls.js';
import { Items } from './stored-items.js';

/** A write with a response. */
interface Written {
  readonly content: ItemContent;
  readonly index: number;
}

/**
 * True if a call was not sent, or a service refused it. After any other failure it may have taken effect. A client
 * sends creations once; another call may fail on the way to its second attempt.
 */
const isRefused = (error: unknown, isCreation: boolean): boolean =>
  (isHttpError(error) && error.status < 500) ||
  isInvalidArgumentError(error) ||
  (isCreation && (isCredentialsError(error) || isUnsent(error)));

/** Stops a run that detected another writer. */
class Conflict extends Error {}

/** One run of a plan. Create a new one for each run. */
export class ApplyRun {
  readonly #client: PermissionsClient;
  readonly #items: Items;
  readonly #plan: Plan;
  readonly #options: ApplyOptions;
  readonly #total: number;
  readonly #done: PlanStep[] = [];
  #reported = 0;
  readonly #unanswered: PlanStep[] = [];
  /** The items that another writer changed, each with its problem. Concurrent calls may find several. */
  readonly #conflicts = new Map<PlanChange, string>();
  /** The contents that each change passes through, from the current one to the last. */
  readonly #ways: readonly ItemContent[][];
  /** The last write of this run for each change. */
  readonly #written = new Map<number, Written>();
  /** The state of each call by the record of earlier runs. */
  readonly #recorded: ReadonlyMap<number, RecordEntry>;
  /** The index of the last recorded write of each change. */
  readonly #recordedIndexes = new Map<number, number | undefined>();
  /** The writes of this run of each kind by their indexes, each with the change if it replaced an item. */
  readonly #writes = new Map<
    PlanChange['kind'],
    Map<number, { readonly revision: string; readonly replaced?: PlanChange }>
  >();
  #skipped = 0;
  /** The permissions of the caller, read before the first call. */
  #own: OwnAccess | undefined;

  constructor(client: PermissionsClient, plan: Plan, options: ApplyOptions) {
    this.#client = client;
    this.#items = new Items(client);
    this.#plan = plan;
    this.#options = options;
    this.#recorded = statesOf(options.record?.entries ?? []);
    this.#ways = plan.changes.map(({ before }) => [before]);
    const steps = plan.stages.flat();
    this.#total = steps.length;
    for (const { change, content } of steps) this.#ways[change]?.push(content);
  }

  async run(): Promise<Applied> {
    const { concurrency, signal, settleMs = 2_000, takeOver } = this.#options;
    const { changes } = this.#plan;
    try {
      if (!takeOver && changes.some(takesOver)) throw this.#error(formatTakeOver(changes));
      if (this.#total > 0) {
        await this.#checkGroups();
        await this.#checkOwn();
      }
      for (const calls of callsOf(this.#plan)) {
        const before = this.#done.length;
        await inParallel(calls, { concurrency, signal }, (call) => this.#make(call));
        const wrote = this.#done.length > before;
        if (wrote && settleMs > 0 && this.#left > 0) await sleep(settleMs, { signal });
      }
      await this.#findOverwritten();
    } catch (error) {
      // A writer that was detected at one item may also have overwritten others.
      if (this.#conflicts.size > 0) await this.#findOverwritten().catch(() => {});
      throw this.#failure(error);
    }
    if (this.#conflicts.size > 0) throw this.#failure(new Conflict());
    const revisions = Array.from(this.#writes.values(), (of) => of.get(Math.max(...of.keys()))?.revision ?? '');
    return { wrote: this.#done.length, skipped: this.#skipped, left: this.#plan.operator.changes, revisions };
  }

  /** The number of calls that are neither made nor skipped. */
  get #left(): number {
    return this.#total - this.#done.length - this.#skipped;
  }

  /** Refuses a plan that binds groups if the deployment cannot. */
  async #checkGroups(): Promise<void> {
    const { changes } = this.#plan;
    const first = changes.find((change) => change.kind === 'binding' && change.group !== undefined);
    if (first) await this.#items.read(first);
  }

  /** Refuses a plan if its caller may not make all of its calls or would lose management permissions. */
  async #checkOwn(): Promise<void> {
    const { signal, allowSelfLockout = false } = this.#options;
    const isLeft = ({ number }: Call) => this.#recorded.get(number)?.state !== 'made';
    const stages = callsOf(this.#plan).map((calls) => calls.filter(isLeft).map(({ step }) => step));
    this.#own = await checkOwn(this.#client, { ...this.#plan, stages }, signal);
    if (!allowSelfLockout && locksOut(this.#own)) throw this.#error(formatRefusal(this.#own), this.#own);
  }

  #stop(change: PlanChange, problem: string): never {
    this.#conflicts.set(change, problem);
    throw new Conflict();
  }

  #skip(change: PlanChange): void {
    this.#skipped++;
    this.#report(change, false);
  }

  async #make(call: Call): Promise<void> {
    const { number, step, place } = call;
    // The cast: steps name changes of their plan.
    const change = this.#plan.changes[step.change] as PlanChange;
    const way = this.#ways[step.change] ?? [];
    const { record } = this.#options;
    const recorded = this.#recorded.get(number);
    if (recorded?.state === 'made') {
      this.#recordedIndexes.set(step.change, recorded.index);
      return this.#skip(change);
    }
    const now = await this.#items.read(change);
    const isMade = way.slice(place).some((later) => sameContent(change.kind, now.content, later));
    if (!record && isMade) return this.#skip(change);
    const before = { content: way[place - 1] ?? null, index: this.#indexBefore(step.change, place) };
    const begun = recorded?.state === 'begun' && decideBegun(change, step, before, now);
    if (begun === 'made') {
      this.#recordedIndexes.set(step.change, now.index);
      await record?.add({ call: number, state: 'made', index: now.index });
      return this.#skip(change);
    }
    if (begun === 'unclear') this.#stop(change, 'may have been written by an earlier run, and by another writer since');
    if (!sameContent(change.kind, now.content, before.content))
      this.#stop(change, 'was changed by another writer after the plan was made');
    if (!isAsLeft(change, now, before)) this.#stop(change, 'was written by another writer after the plan was made');
    await this.#write(call, change, before.content);
    this.#report(change, true);
  }

  /** The index of an item before a call, if the plan, a record or this run knows it. */
  #indexBefore(change: number, place: number): number | undefined {
    const planned = place === 1 ? this.#plan.changes[change]?.index : this.#recordedIndexes.get(change);
    return this.#written.get(change)?.index ?? planned;
  }

  async #write({ number, step }: Call, change: PlanChange, before: ItemContent): Promise<void> {
    const { record } = this.#options;
    await record?.add({ call: number, state: 'begun' });
    let written: Awaited<ReturnType<Items['write']>>;
    try {
      written = await this.#items.write(change, before, step.content);
    } catch (error) {
      // This call itself may have created or deleted the item, if a proxy or the client sent it twice.
      const isTaken = isHttpError(error) && (error.status === 409 || error.status === 404);
      const isUnwritten = isRefused(error, before === null);
      if (!isTaken && (isUnwritten || (await this.#isUnwritten(change, before, error)))) {
        await record?.add({ call: number, state: 'failed' });
      }
      if (isTaken) {
        this.#stop(change, `was ${error.status === 409 ? 'created' : 'deleted'} by another writer just now`);
      }
      if (!isUnwritten) this.#unanswered.push(step);
      throw error;
    }
    const { index, revision } = written;
    this.#written.set(step.change, { content: step.content, index });
    this.#done.push(step);
    const writes = remember(this.#writes, change.kind, () => new Map());
    writes.set(index, before ? { revision, replaced: change } : { revision });
    await record?.add({ call: number, state: 'made', index });
  }

  /**
   * True if an item is as before after a server's error, so that another run may make the call. Only with a record, and
   * not after a timeout, because the call may still be under way.
   */
  async #isUnwritten(change: PlanChange, before: ItemContent, error: unknown): Promise<boolean> {
    if (!this.#options.record || !isHttpError(error) || error.status === 504) return false;
    const read = this.#items.read(change);
    return read.then(({ content }) => sameContent(change.kind, content, before)).catch(() => false);
  }

  /**
   * Finds items of this run that another writer has overwritten since, and those that it may have overwritten: the
   * service counted the write of another right before its own.
   */
  async #findOverwritten(): Promise<void> {
    const { concurrency } = this.#options;
    for (const writes of this.#unanswered.length > 0 ? [] : this.#writes.values()) {
      const first = Math.min(...writes.keys());
      for (const [index, { replaced }] of writes) {
        if (replaced === undefined || index === first || writes.has(index - 1)) continue;
        this.#conflicts.set(replaced, 'may have overwritten what another writer wrote');
      }
    }
    const look = inParallel([...this.#written], { concurrency }, async ([at, { content, index }]) => {
      // The cast: steps name changes of their plan.
      const change = this.#plan.changes[at] as PlanChange;
      const now = await this.#items.read(change);
      const isSame = sameContent(change.kind, now.content, content) && (now.index === undefined || now.index === index);
      if (!isSame && !this.#conflicts.has(change)) this.#conflicts.set(change, 'was overwritten by another writer');
    });
    await look.catch((error) => {
      // The caller has accepted to lose the permission to read these items.
      const isLost = this.#own !== undefined && locksOut(this.#own);
      if (!isLost || !isHttpError(error) || error.status !== 403) throw error;
    });
  }

  #report(change: PlanChange, wrote: boolean): void {
    // Counts reports: calls of one stage end together, and each of them would report the number of all.
    const done = ++this.#reported;
    const returned: unknown = this.#options.onProgress?.({ done, total: this.#total, change, wrote });
    // The rejection of an asynchronous function must not end the program in the middle of a plan.
    void quietly(() => returned);
  }

  #error(problems: readonly string[], own?: OwnAccess, cause?: unknown): ApplyError {
    const conflicts = [...this.#conflicts.keys()];
    const stopped = { plan: this.#plan, conflicts, done: this.#done, unanswered: this.#unanswered, own };
    return new ApplyError(problems, stopped, cause);
  }

  #failure(cause: unknown): ApplyError {
    if (cause instanceof ApplyError) return cause;
    const problems = [...this.#conflicts].map(([change, problem]) => `${describeItem(change)} ${problem}`);
    if (cause instanceof Conflict) return this.#error(problems);
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    const failure = `apply ${this.#options.signal?.aborted ? 'was stopped' : 'failed'}${why}`;
    return this.#error([failure, ...problems], undefined, cause);
  }
}
