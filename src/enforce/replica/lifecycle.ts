import type { Evaluator, PolicyFault } from '../../policy/index.js';
import { evaluationRules } from '../../policy/model/fidelity.js';
import type { PoolTransport } from '../../policy/pool/pool-items.js';
import { Differences } from './content-differences.js';
import { Listeners } from './listeners.js';
import { openPoolTransport } from './open-pool-transport.js';
import { PolicyCopy, type PoolIndexes } from './policy-copy.js';
import { PoolSession } from './pool-session.js';
import { type ReachedOptions, Reaching, type Written } from './reaching.js';
import { ReplicaError } from './replica-error.js';
import type { ReplicaEvents } from './replica-events.js';
import { type Failure, toReplicaFailure } from './replica-failure.js';
import type { ReplicaSettings } from './replica-options.js';
import { type ReplicaState, type ReplicaStatus, StatusKeeper } from './status.js';
import { sync } from './sync.js';
import { notReady, type ReadyOptions, readReadyOptions, Waiting } from './waiting.js';

/** The lifecycle of a replica: connects, follows, keeps status and copy, notifies listeners, and closes. */
export class Lifecycle {
  readonly listeners = new Listeners<ReplicaEvents>('change', 'status');
  readonly #settings: ReplicaSettings;
  readonly #keeper: StatusKeeper;
  readonly #waiting = new Waiting();
  readonly #reaching = new Reaching(() => {
    return { copy: this.#copy, decides: this.#evaluator !== undefined, lastError: this.#keeper.lastError };
  });
  readonly #stop = new AbortController();
  readonly #differences = new Differences(this.listeners, this.#stop.signal);
  readonly #running: Promise<void>;
  #lastIsPermanent = false;
  #copy: PolicyCopy;
  /** True once a complete state was available. */
  #hasState = false;
  /** The current evaluator; undefined until the first complete state, and after closing. */
  #evaluator: Evaluator | undefined;
  /** How long a stale replica continues to decide, in milliseconds; undefined: forever, so no clock is read. */
  readonly #staleMs: number | undefined;

  constructor(settings: ReplicaSettings) {
    this.#settings = settings;
    this.#copy = new PolicyCopy(settings.fidelity);
    this.#staleMs = settings.staleMs;
    this.#keeper = new StatusKeeper(() => this.#onState());
    this.#running = this.#run();
  }

  get status(): ReplicaStatus {
    return this.#keeper.at(this.#copy.indexes);
  }

  /** The index of the last applied change of each kind. */
  get indexes(): PoolIndexes {
    return this.#copy.indexes;
  }

  get state(): ReplicaState {
    return this.#keeper.state;
  }

  /** Returns the evaluator; throws ReplicaError if the replica must not decide now. */
  decider(): Evaluator {
    const evaluator = this.#evaluator;
    if (evaluator === undefined || (this.#staleMs !== undefined && !this.#keeper.within(this.#staleMs))) {
      throw this.unusable();
    }
    return evaluator;
  }

  /** Grows with each change of the copy that decides; another copy has another evaluator. */
  get version(): number {
    return this.#copy.version;
  }

  faults(user: string | undefined, groups: readonly string[]): readonly PolicyFault[] {
    return this.#copy.faults(user, groups);
  }

  /** The error that tells why the replica is not live. */
  unusable(): ReplicaError {
    const { state, lastError } = this.#keeper;
    if (state === 'closed') return new ReplicaError('CLOSED', 'the replica is closed');
    if (state === 'stale') {
      const last = lastError === undefined ? '' : `; the last failure was ${lastError.code} ${lastError.message}`;
      return new ReplicaError('STALE', `the service no longer confirms the state${last}`);
    }
    return lastError === undefined
      ? new ReplicaError('NOT_READY', 'there is no confirmed state yet; await replica.ready() first')
      : notReady(lastError, ' yet');
  }

  async ready(options: ReadyOptions): Promise<void> {
    const read = readReadyOptions(options);
    const { state, lastError } = this.#keeper;
    if (state === 'closed') throw this.unusable();
    if (state !== 'connecting') return;
    if (lastError !== undefined && this.#lastIsPermanent) throw notReady(lastError);
    await this.#waiting.wait(read, () => this.#keeper.lastError);
  }

  async reached(written: Written | readonly Written[], options: ReachedOptions): Promise<void> {
    if (this.#keeper.state === 'closed') throw this.unusable();
    await this.#reaching.reached(written, options);
  }

  async close(): Promise<void> {
    if (this.#keeper.state !== 'closed') {
      this.#keeper.close();
      this.#waiting.settle(this.unusable());
      this.#reaching.close(this.unusable());
      this.#stop.abort(new ReplicaError('CLOSED', 'the replica is closed'));
    }
    await this.#running;
  }

  async #run(): Promise<void> {
    const { caller, fidelity, target } = this.#settings;
    const { signal } = this.#stop;
    const origin = target?.origin;
    let transport: PoolTransport;
    try {
      transport = await openPoolTransport(this.#settings);
    } catch (error) {
      return this.#failed(toReplicaFailure(error, origin));
    }
    try {
      const session = new PoolSession(transport, caller);
      const served = this.#settings.transport?.fidelity;
      const sharesNames = served !== undefined && !evaluationRules[served].bindingsByName;
      const [listener, status] = [this.#listener(), this.#keeper];
      await sync({ session, fidelity, sharesNames, origin, listener, status }, signal);
    } finally {
      transport.close();
      await this.#differences.done;
      this.#copy = new PolicyCopy(fidelity);
    }
  }

  #listener(): Parameters<typeof sync>[0]['listener'] {
    return {
      swapped: (copy, { mono }) => {
        const before = this.#copy;
        this.#copy = copy;
        this.#setEvaluator();
        this.#reaching.swapped(mono);
        if (this.#hasState) this.#differences.add(before, copy);
        else this.listeners.emit('change', () => ({ kind: 'all', names: [] }));
        this.#hasState = true;
      },
      changed: (kind, items) => this.listeners.emit('change', () => ({ kind, names: items.map(({ name }) => name) })),
      heard: (kind) => this.#reaching.heard(kind),
      failed: (failure) => this.#failed(failure),
    };
  }

  #failed(failure: Failure): void {
    this.#keeper.failed(failure);
    this.#lastIsPermanent = failure.permanent;
    if (failure.permanent && this.#keeper.state === 'connecting') this.#waiting.settle(notReady(failure));
  }

  #onState(): void {
    this.#setEvaluator();
    this.#reaching.look();
    if (this.#keeper.state === 'live') this.#waiting.settle();
    this.listeners.emit('status', () => this.status);
  }

  #setEvaluator(): void {
    const { state } = this.#keeper;
    this.#evaluator = state === 'live' || state === 'stale' ? this.#copy.evaluator : undefined;
  }
}
