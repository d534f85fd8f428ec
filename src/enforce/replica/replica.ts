/// <reference lib="esnext.disposable" preserve="true" />

import { PermissionDeniedError } from '../../base/errors.js';
import { closeOnDispose } from '../../base/lib/fallbacks.js';
import { startClock } from '../../policy/decision-line/on-decision.js';
import {
  type Binding,
  type Decision,
  type Evaluator,
  type EvaluatorBatch,
  type EvaluatorQuestion,
  type EvaluatorSubject,
  type Explanation,
  explain,
  type GroupBinding,
  type ManyDecisions,
  type PolicyFault,
} from '../../policy/index.js';
import { authorizationRules } from '../../policy/model/authorization-type.js';
import type { LocalDecider } from '../../policy/model/decider.js';
import { authenticates, type MakeSubject, readAuthenticate } from './authenticate.js';
import { type DecisionRules, decideMany, decideOne } from './decide.js';
import { Lifecycle } from './lifecycle.js';
import { Overlay } from './overlay.js';
import { type ProposedChange, readProposedChanges } from './proposed-changes.js';
import type { ReachedOptions, Written } from './reaching.js';
import type { ReplicaEvents } from './replica-events.js';
import type { ReplicaSettings } from './replica-options.js';
import { checkItem, checkOwner, checkSubject } from './replica-request.js';
import { reportDecisions } from './report-decisions.js';
import type { ReplicaStatus } from './status.js';
import type { ReadyOptions } from './waiting.js';

/**
 * A copy of the policies, roles and bindings of a deployment that follows every change and decides in this process.
 * Created by `createReplica`. Decisions are synchronous. They throw `ReplicaError` (code `REPLICA`) while there is no
 * complete confirmed state (`NOT_READY`), when it is closed (`CLOSED`), and when it is stale for longer than
 * `whenStale` allows (`STALE`); and `InvalidArgumentError` for an invalid question.
 */
export class Replica implements AsyncDisposable {
  /** Calls `close`, for `await using`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;
  readonly #settings: ReplicaSettings;
  readonly #rules: DecisionRules;
  readonly #authenticate: MakeSubject;
  readonly #lifecycle: Lifecycle;

  /** @internal */
  constructor(settings: ReplicaSettings) {
    this.#settings = settings;
    const rules = authorizationRules[settings.fidelity];
    this.#rules = { type: settings.type, rules };
    this.#authenticate = readAuthenticate(settings, rules);
    this.#lifecycle = new Lifecycle(settings);
    closeOnDispose(this);
  }

  /** The current status. */
  get status(): ReplicaStatus {
    return this.#lifecycle.status;
  }

  /**
   * True while the service has confirmed the state within the last minute. Reads the clocks at each call, so it is
   * correct even after a suspension of the process.
   */
  get live(): boolean {
    return this.#lifecycle.state === 'live';
  }

  /**
   * Throws unless the replica is live.
   * @throws ReplicaError (code `REPLICA`) with the reason.
   */
  assertLive(): void {
    if (!this.live) throw this.#lifecycle.unusable();
  }

  /**
   * Waits until there is a complete state that the service has confirmed on every stream of changes. Transient
   * failures, like a service that is not up yet, are retried.
   * @throws ReplicaError (code `REPLICA`, reason `NOT_READY`) at once for a permanent failure (a missing package, a
   * refused token, a missing permission, an untrusted certificate), and with the last failure at the timeout.
   * @throws TimeoutError (code `TIMEOUT`), AbortError (code `ABORTED`)
   */
  ready(options: ReadyOptions = {}): Promise<void> {
    return this.#lifecycle.ready(options);
  }

  /**
   * Waits until decisions reflect a write, which any process may have made: pass what a call of `policies`, `roles` or
   * `bindings` returned, its `revision`, or a list of them.
   * @throws ReplicaError (code `REPLICA`, reason `OTHER_HISTORY`) if the service does not have the write: it was made
   * in another deployment, or this one was restored. For an index that the service has not reached, that is known only
   * at the timeout.
   * @throws TimeoutError (code `TIMEOUT`), AbortError (code `ABORTED`), InvalidArgumentError for anything else
   * @example
   * ```ts
   * const replica = createReplica({ address: '127.0.0.1:9201' });
   * const written = await client.authorization.roles.upsert('viewer', { policies: ['read-orders'] });
   * await replica.reached(written);
   * console.log(replica.isAllowed({ user: 'alice', action: 'orders:read', resource: 'orders:7' }));
   * ```
   */
  reached(written: Written | readonly Written[], options: ReachedOptions = {}): Promise<void> {
    return this.#lifecycle.reached(written, options);
  }

  /** Decides if the subject may do `action` on `resource`. Decisions are shared and frozen. */
  evaluate(request: EvaluatorQuestion): Decision {
    const { onDecision } = this.#settings;
    const elapsed = onDecision && startClock();
    const evaluator = this.#lifecycle.decider();
    const decision = decideOne(evaluator, this.#rules, request);
    if (elapsed) {
      const by = { evaluator, rules: this.#rules, indexes: this.#lifecycle.indexes, durationUs: elapsed() };
      reportDecisions(onDecision, request, [[request, decision]], by);
    }
    return decision;
  }

  /** Decides on many items at once; `allowed` only if every item is allowed. Without items it is a Deny. */
  evaluateMany(request: EvaluatorBatch): ManyDecisions {
    const { onDecision } = this.#settings;
    const elapsed = onDecision && startClock();
    const evaluator = this.#lifecycle.decider();
    const decisions = decideMany(evaluator, this.#rules, request);
    if (elapsed) {
      const by = { evaluator, rules: this.#rules, indexes: this.#lifecycle.indexes, durationUs: elapsed() };
      const decided = request.items.map((item, index) => [item, decisions.items[index]] as const);
      reportDecisions(onDecision, request, decided, by);
    }
    return decisions;
  }

  /** @internal Decides without calling `onDecision`. */
  muted(): LocalDecider {
    return {
      evaluate: (request) => decideOne(this.#lifecycle.decider(), this.#rules, request),
      evaluateMany: (request) => decideMany(this.#lifecycle.decider(), this.#rules, request),
    };
  }

  /** Returns true only for an Allow. */
  isAllowed(request: EvaluatorQuestion): boolean {
    return this.evaluate(request).allowed;
  }

  /**
   * Throws unless access is allowed.
   * @throws PermissionDeniedError (code `PERMISSION_DENIED`), which names action and resource.
   */
  assertAllowed(request: EvaluatorQuestion): void {
    if (!this.evaluate(request).allowed) throw new PermissionDeniedError(request.action, request.resource);
  }

  /**
   * Explains the decision of the policies, regardless of the authorization type; `formatExplanation` of
   * `arango-services/policy` formats it as text.
   */
  explain(request: EvaluatorQuestion): Explanation {
    const evaluator = this.#lifecycle.decider();
    checkSubject(request, this.#rules.rules);
    checkItem(request);
    return explain(evaluator, request);
  }

  /**
   * Lists policies and scopes that are skipped for this user and these groups because they cannot be parsed, and
   * bindings whose names begin with their names but that apply to none, because the name has no `:` or the role is
   * empty. Without a user and groups: all bindings that apply to no user or group.
   */
  faults(user?: string, groups: readonly string[] = []): readonly PolicyFault[] {
    this.#lifecycle.decider();
    checkOwner('user', user);
    return this.#lifecycle.faults(user, groups);
  }

  /**
   * Returns a snapshot: an independent evaluator over the current state, to ask several questions of one state or to
   * try a change. Fast for any size. Its `faults` are those of the policy engine, without the bindings that the replica
   * adds.
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

  /**
   * Returns a decider over this replica with proposed changes, such as those of a plan: it follows the replica, and
   * writes nothing. Each change of the deployment makes it apply the proposal again, before its next decision: about
   * 0.1 ms of CPU time, 1 to 3 µs more for each policy or role, and 20 to 70 µs for each binding if there are 20 000 or
   * more.
   * @throws InvalidArgumentError naming the change, also for content that the fidelity rejects.
   * @example
   * ```ts
   * const replica = createReplica({ address: '127.0.0.1:9201' });
   * await replica.ready();
   * const proposed = replica.overlay([{ kind: 'policy', name: 'read-orders', after: null }]); // null deletes it
   * console.log(proposed.isAllowed({ user: 'alice', action: 'orders:read', resource: 'orders:7' }));
   * ```
   */
  overlay(changes: readonly ProposedChange[]): Overlay {
    return new Overlay(this.#lifecycle, this.#rules, readProposedChanges(changes, this.#settings.fidelity));
  }

  /** Lists the names of all policies, sorted by code unit. For the content: `replica.evaluator().policy(name)`. */
  policies(): readonly string[] {
    return this.#lifecycle.decider().policies();
  }

  /** Lists the names of all roles, sorted by code unit. For the content: `replica.evaluator().role(name)`. */
  roles(): readonly string[] {
    return this.#lifecycle.decider().roles();
  }

  /**
   * Lists all users that have a binding, sorted by code unit. In sidecar fidelity these are all users to which a
   * binding applies: one named `a:b:viewer` applies to `a:b` and to `a`, so both are listed.
   */
  users(): readonly string[] {
    return this.#lifecycle.decider().users();
  }

  /**
   * Lists the bindings of exactly this user, the oldest first; in sidecar fidelity all bindings that apply to the user,
   * each with the user that it was set for: a binding of `a:b` applies to `a`, too. If bindings of several users apply,
   * they are sorted by role.
   *
   * Without a user, lists all bindings once, by user in the order of `users()`, the oldest first. In sidecar fidelity a
   * binding is listed at the longest user that is a prefix of its name.
   * @example
   * ```ts
   * const replica = createReplica({ address: '127.0.0.1:9201' });
   * await replica.ready();
   * for (const { user, role } of replica.bindings()) console.log(user, role);
   * ```
   */
  bindings(user?: string): readonly Binding[] {
    checkOwner('user', user);
    return this.#lifecycle.decider().bindings(user);
  }

  /** Lists all groups to which a binding applies, as `users` does; none if the service is older than groups. */
  groups(): readonly string[] {
    return this.#lifecycle.decider().groups();
  }

  /** Lists the bindings that apply to a group or, without one, all of them, as `bindings` does. */
  groupBindings(group?: string): readonly GroupBinding[] {
    checkOwner('group', group);
    return this.#lifecycle.decider().groupBindings(group);
  }

  /** True if `authenticate` can be used, because the option `tokens` or `authenticate` was given. */
  get authenticates(): boolean {
    return authenticates(this.#settings);
  }

  /**
   * Resolves a token to a subject, by the option `tokens` or `authenticate`, for `replica.evaluate({ ...subject,
   * action, resource })`.
   * @throws ReplicaError (code `REPLICA`, reason `INVALID_TOKEN`) for an invalid token; any error of the client's
   * `validate`, of `verifyToken` or of `authenticate`; InvalidArgumentError without one of the options.
   */
  authenticate(token: string): Promise<EvaluatorSubject> {
    return this.#authenticate(token);
  }

  /**
   * Calls `listener` with each change, or each new state of the status. Its errors and rejected promises are ignored.
   * @returns a function that removes the listener.
   */
  on<E extends keyof ReplicaEvents>(event: E, listener: (value: ReplicaEvents[E]) => void): () => void {
    return this.#lifecycle.listeners.add(event, listener);
  }

  /** Closes the connection and drops the state; later decisions throw. Resolves when all of its work has ended. */
  close(): Promise<void> {
    return this.#lifecycle.close();
  }
}
