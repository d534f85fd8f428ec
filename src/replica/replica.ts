/// <reference lib="esnext.disposable" preserve="true" />
import { PermissionDeniedError } from '../errors.js';
import { expected } from '../lib/readers.js';
import { type AuthorizationRules, authorizationRules, decideAs } from '../policy/authorization-type.js';
import { sumUp } from '../policy/decisions.js';
import { evaluationRules } from '../policy/fidelity.js';
import {
  type Binding,
  type Decision,
  type EvaluationRequest,
  type EvaluationsRequest,
  type Evaluator,
  type EvaluatorSubject,
  type Explanation,
  explain,
  type ManyDecisions,
  type PolicyFault,
} from '../policy/index.js';
import type { PoolTransport } from '../pool/items.js';
import { authenticates, type MakeSubject, readAuthenticate } from './authenticate.js';
import { Differences } from './differences.js';
import { ReplicaError } from './error.js';
import type { ReplicaEvents } from './events.js';
import { Listeners } from './listeners.js';
import { openPoolTransport } from './open-pool-transport.js';
import { PolicyCopy } from './policy-copy.js';
import { type Failure, toReplicaFailure } from './replica-failure.js';
import type { ReplicaSettings } from './replica-options.js';
import { checkItem, checkItems, checkSubject, isPlain } from './replica-request.js';
import { PoolSession } from './session.js';
import { type ReplicaStatus, StatusKeeper } from './status.js';
import { sync } from './sync.js';
import { notReady, type ReadyOptions, readReadyOptions, Waiting } from './waiting.js';

function checkUser(user: unknown): void {
  if (user === undefined || (typeof user === 'string' && user !== '')) return;
  throw expected('user', 'a non-empty name', user);
}

/**
 * A copy of the policies, roles and bindings of a deployment that follows every change and decides in this process.
 * `createReplica` makes one. Decisions are synchronous; they throw `ReplicaError` (code `REPLICA`) while there is no
 * whole state that the service has confirmed (`NOT_READY`), when it is closed (`CLOSED`), and when it is stale for
 * longer than `whenStale` allows (`STALE`); and `InvalidArgumentError` for what is not a valid question.
 */
export class Replica implements AsyncDisposable {
  readonly #settings: ReplicaSettings;
  readonly #rules: AuthorizationRules;
  readonly #authenticate: MakeSubject;
  readonly #keeper: StatusKeeper;
  readonly #waiting = new Waiting();
  readonly #listeners = new Listeners<ReplicaEvents>('change', 'status');
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #lastIsPermanent = false;
  #copy: PolicyCopy;
  /** True once there was a whole state. */
  #hasState = false;
  readonly #differences = new Differences(this.#listeners, this.#stop.signal);
  /** The current evaluator; undefined before the replica was live, and after it was closed. */
  #evaluator: Evaluator | undefined;
  /** For how long it decides when it is stale; undefined: for ever, so that no clock is read. */
  readonly #staleMs: number | undefined;

  /** @internal */
  constructor(settings: ReplicaSettings) {
    this.#settings = settings;
    this.#rules = authorizationRules[settings.fidelity];
    this.#authenticate = readAuthenticate(settings, this.#rules);
    this.#copy = new PolicyCopy(settings.fidelity);
    this.#staleMs = settings.staleMs;
    this.#keeper = new StatusKeeper(() => this.#onState());
    this.#running = this.#run();
  }

  /** How it is now. */
  get status(): ReplicaStatus {
    return this.#keeper.at(this.#copy.indexes);
  }

  /**
   * True while it decides from a state that this service has shown to have within the last minute. Goes by the clocks
   * at the moment of the question, also after the process was suspended.
   */
  get live(): boolean {
    return this.#keeper.state === 'live';
  }

  /**
   * Makes sure that it is live.
   * @throws ReplicaError (code `REPLICA`) that says why it is not.
   */
  assertLive(): void {
    if (!this.live) throw this.#unusable();
  }

  /**
   * Waits until there is a whole state and the service has confirmed it on all three streams of changes. It waits
   * through failures that can pass, like a service that is not there yet.
   * @throws ReplicaError (code `REPLICA`, reason `NOT_READY`) at once for what cannot pass by itself (a package that is
   * missing, a refused token or a permission, which it names, a certificate that is not trusted), and with the last
   * failure when the time is over.
   * @throws TimeoutError (code `TIMEOUT`), AbortError (code `ABORTED`)
   */
  async ready(options: ReadyOptions = {}): Promise<void> {
    const read = readReadyOptions(options);
    const { state, lastError } = this.#keeper;
    if (state === 'closed') throw this.#unusable();
    if (state !== 'connecting') return;
    if (lastError !== undefined && this.#lastIsPermanent) throw notReady(lastError);
    await this.#waiting.wait(read, () => this.#keeper.lastError);
  }

  /** May the subject do `action` on `resource`? The decisions are shared and frozen. */
  evaluate(request: EvaluationRequest): Decision {
    const evaluator = this.#decider();
    if (!isPlain(request ?? {})) {
      checkSubject(request, this.#rules);
      checkItem(request);
    }
    const { type } = this.#settings;
    return type === 'central'
      ? evaluator.evaluate(request)
      : decideAs(type, this.#rules, () => evaluator.evaluate(request));
  }

  /** The same for many items at once; `allowed` only if every item is. Without items it is a Deny. */
  evaluateMany(request: EvaluationsRequest): ManyDecisions {
    const evaluator = this.#decider();
    checkSubject(request, this.#rules);
    checkItems(request);
    const { type } = this.#settings;
    if (type === 'central') return evaluator.evaluateMany(request);
    const { items, ...subject } = request;
    return sumUp(
      items.map((item) =>
        // The cast: without its items the request is its subject.
        decideAs(type, this.#rules, () => evaluator.evaluate({ ...subject, ...item } as EvaluationRequest)),
      ),
    );
  }

  /** True only for an Allow. */
  isAllowed(request: EvaluationRequest): boolean {
    return this.evaluate(request).allowed;
  }

  /**
   * Makes sure of an Allow.
   * @throws PermissionDeniedError (code `PERMISSION_DENIED`), which names action and resource.
   */
  assertAllowed(request: EvaluationRequest): void {
    if (!this.evaluate(request).allowed) throw new PermissionDeniedError(request.action, request.resource);
  }

  /**
   * Why the policies decide as they do, whatever the authorization type; `formatExplanation` of
   * `arango-services/policy` makes it text.
   */
  explain(request: EvaluationRequest): Explanation {
    const evaluator = this.#decider();
    checkSubject(request, this.#rules);
    checkItem(request);
    return explain(evaluator, request);
  }

  /**
   * Lists policies and scopes that are skipped for this user because they cannot be parsed, and bindings that begin
   * with the user's name and bind no user, because their names have no `:` or their role is empty. Without a user: all
   * such bindings.
   */
  faults(user?: string): readonly PolicyFault[] {
    this.#decider();
    checkUser(user);
    return this.#copy.faults(user);
  }

  /**
   * An independent evaluator over what the replica holds now, which follows no changes: a snapshot, to ask several
   * questions of one state or to try what a change would do. It costs nothing, however large the state is. What the
   * replica names in `faults` beyond those of the policy engine is not in it.
   * @example
   * ```ts
   * const replica = createReplica({ address: '127.0.0.1:9201' });
   * await replica.ready();
   * const trial = replica.evaluator();
   * trial.deleteBinding('alice', 'viewer');
   * console.log(trial.isAllowed({ user: 'alice', action: 'orders:read', resource: 'orders:7' }));
   * ```
   */
  evaluator(): Evaluator {
    return this.#decider().clone();
  }

  /** The names of all policies, sorted by code unit. What one says: `replica.evaluator().policy(name)`. */
  policies(): readonly string[] {
    return this.#decider().policies();
  }

  /** The names of all roles, sorted by code unit. What one says: `replica.evaluator().role(name)`. */
  roles(): readonly string[] {
    return this.#decider().roles();
  }

  /**
   * All users that have a binding, sorted by code unit. In sidecar fidelity these are the users for which a binding
   * counts: one named `a:b:viewer` counts for `a:b` and for `a`, so both are listed.
   */
  users(): readonly string[] {
    return this.#decider().users();
  }

  /**
   * The bindings of exactly this user, the oldest first. In sidecar fidelity all that count for the user, each with the
   * user that it was set for: what `a:b` was given counts for `a`, too. Where the bindings of several users count, they
   * are sorted by role.
   *
   * Without a user: all bindings, each once, by user in the order of `users()`, and of one user the oldest first. In
   * sidecar fidelity one stands where the longest user that its name begins with does.
   * @example
   * ```ts
   * const replica = createReplica({ address: '127.0.0.1:9201' });
   * await replica.ready();
   * for (const { user, role } of replica.bindings()) console.log(user, role);
   * ```
   */
  bindings(user?: string): readonly Binding[] {
    checkUser(user);
    return this.#decider().bindings(user);
  }

  /** True if `authenticate` can be used: the option `tokens` or `authenticate` was given. */
  get authenticates(): boolean {
    return authenticates(this.#settings);
  }

  /**
   * Makes a subject of a token, by the option `tokens` or `authenticate`, for
   * `replica.evaluate({ ...subject, action, resource })`.
   * @throws ReplicaError (code `REPLICA`, reason `INVALID_TOKEN`) for a token that is not valid; what `validate` of the
   * client, `verifyToken` and `authenticate` throw; InvalidArgumentError without one of the options.
   */
  authenticate(token: string): Promise<EvaluatorSubject> {
    return this.#authenticate(token);
  }

  /**
   * Calls `listener` with each change, or each new state of the status. What it throws is ignored, and so is a promise
   * of it that rejects.
   * @returns what ends it.
   */
  on<E extends keyof ReplicaEvents>(event: E, listener: (value: ReplicaEvents[E]) => void): () => void {
    return this.#listeners.add(event, listener);
  }

  /**
   * Closes the connection and forgets the state. Decisions throw from then on. Fulfilled when nothing of it runs any
   * more.
   */
  async close(): Promise<void> {
    if (this.#keeper.state !== 'closed') {
      this.#keeper.close();
      this.#waiting.settle(this.#unusable());
      this.#stop.abort(new ReplicaError('CLOSED', 'the replica is closed'));
    }
    await this.#running;
  }

  /** For `await using`: `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
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
      await sync({ session, fidelity, sharesNames, origin, listener: this.#listener() }, signal);
    } finally {
      transport.close();
      await this.#differences.done;
      this.#copy = new PolicyCopy(fidelity);
    }
  }

  #listener(): Parameters<typeof sync>[0]['listener'] {
    return {
      swapped: (copy) => {
        const before = this.#copy;
        this.#copy = copy;
        this.#setEvaluator();
        if (this.#hasState) this.#differences.tell(before, copy);
        else this.#listeners.tell('change', () => ({ kind: 'all', names: [] }));
        this.#hasState = true;
      },
      changed: (kind, items) => this.#listeners.tell('change', () => ({ kind, names: items.map(({ name }) => name) })),
      message: () => this.#keeper.message(),
      shown: (kind, at) => this.#keeper.shown(kind, at),
      replaced: (kind, at) => this.#keeper.replaced(kind, at),
      refuted: () => this.#keeper.refuted(),
      failed: (failure) => this.#failed(failure),
      rereading: (on) => this.#keeper.rereading(on),
      beat: () => this.#keeper.look(),
    };
  }

  #failed(failure: Failure): void {
    this.#keeper.failed(failure);
    this.#lastIsPermanent = failure.permanent;
    if (failure.permanent && this.#keeper.state === 'connecting') this.#waiting.settle(notReady(failure));
  }

  #onState(): void {
    this.#setEvaluator();
    if (this.#keeper.state === 'live') this.#waiting.settle();
    this.#listeners.tell('status', () => this.status);
  }

  #setEvaluator(): void {
    const { state } = this.#keeper;
    this.#evaluator = state === 'live' || state === 'stale' ? this.#copy.evaluator : undefined;
  }

  /** @throws ReplicaError if the replica must not decide now. */
  #decider(): Evaluator {
    const evaluator = this.#evaluator;
    if (evaluator === undefined || (this.#staleMs !== undefined && !this.#keeper.within(this.#staleMs))) {
      throw this.#unusable();
    }
    return evaluator;
  }

  #unusable(): ReplicaError {
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
}
