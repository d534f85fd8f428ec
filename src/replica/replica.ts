/// <reference lib="esnext.disposable" preserve="true" />
import { PermissionDeniedError } from '../errors.js';
import { type AuthorizationRules, authorizationRules, decideAs } from '../policy/authorization-type.js';
import { sumUp } from '../policy/decisions.js';
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
import { authenticates, type MakeSubject, readAuthenticate } from './authenticate.js';
import type { ReplicaEvents } from './events.js';
import { Lifecycle } from './lifecycle.js';
import type { ReplicaSettings } from './replica-options.js';
import { checkItem, checkItems, checkSubject, checkUser, isPlain } from './replica-request.js';
import type { ReplicaStatus } from './status.js';
import type { ReadyOptions } from './waiting.js';

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
  readonly #lifecycle: Lifecycle;

  /** @internal */
  constructor(settings: ReplicaSettings) {
    this.#settings = settings;
    this.#rules = authorizationRules[settings.fidelity];
    this.#authenticate = readAuthenticate(settings, this.#rules);
    this.#lifecycle = new Lifecycle(settings);
  }

  /** The current status. */
  get status(): ReplicaStatus {
    return this.#lifecycle.status;
  }

  /**
   * True while it decides from a state that this service has shown to have within the last minute. Goes by the clocks
   * at the moment of the question, also after the process was suspended.
   */
  get live(): boolean {
    return this.#lifecycle.state === 'live';
  }

  /**
   * Makes sure that it is live.
   * @throws ReplicaError (code `REPLICA`) that says why it is not.
   */
  assertLive(): void {
    if (!this.live) throw this.#lifecycle.unusable();
  }

  /**
   * Waits until there is a whole state and the service has confirmed it on all three streams of changes. It waits
   * through failures that can pass, like a service that is not there yet.
   * @throws ReplicaError (code `REPLICA`, reason `NOT_READY`) at once for what cannot pass by itself (a package that is
   * missing, a refused token or a permission, which it names, a certificate that is not trusted), and with the last
   * failure when the time is over.
   * @throws TimeoutError (code `TIMEOUT`), AbortError (code `ABORTED`)
   */
  ready(options: ReadyOptions = {}): Promise<void> {
    return this.#lifecycle.ready(options);
  }

  /** May the subject do `action` on `resource`? The decisions are shared and frozen. */
  evaluate(request: EvaluationRequest): Decision {
    const evaluator = this.#lifecycle.decider();
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
    const evaluator = this.#lifecycle.decider();
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
    const evaluator = this.#lifecycle.decider();
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
    this.#lifecycle.decider();
    checkUser(user);
    return this.#lifecycle.faults(user);
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
    return this.#lifecycle.decider().clone();
  }

  /** The names of all policies, sorted by code unit. What one says: `replica.evaluator().policy(name)`. */
  policies(): readonly string[] {
    return this.#lifecycle.decider().policies();
  }

  /** The names of all roles, sorted by code unit. What one says: `replica.evaluator().role(name)`. */
  roles(): readonly string[] {
    return this.#lifecycle.decider().roles();
  }

  /**
   * All users that have a binding, sorted by code unit. In sidecar fidelity these are the users for which a binding
   * counts: one named `a:b:viewer` counts for `a:b` and for `a`, so both are listed.
   */
  users(): readonly string[] {
    return this.#lifecycle.decider().users();
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
    return this.#lifecycle.decider().bindings(user);
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
    return this.#lifecycle.listeners.add(event, listener);
  }

  /**
   * Closes the connection and forgets the state. Decisions throw from then on. Fulfilled when nothing of it runs any
   * more.
   */
  close(): Promise<void> {
    return this.#lifecycle.close();
  }

  /** For `await using`: `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
