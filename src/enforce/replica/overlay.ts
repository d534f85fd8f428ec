import type {
  Decision,
  Evaluator,
  EvaluatorBatch,
  EvaluatorQuestion,
  Explanation,
  ManyDecisions,
} from '../../policy/index.js';
import { explain } from '../../policy/index.js';
import type { LocalDecider } from '../../policy/model/decider.js';
import { type DecisionRules, decideMany, decideOne } from './decide.js';
import type { Lifecycle } from './lifecycle.js';
import type { Apply } from './proposed-changes.js';
import { checkItem, checkSubject } from './replica-request.js';

/** The replica under an overlay. */
export type OverlaidReplica = Pick<Lifecycle, 'decider' | 'state' | 'unusable' | 'version'>;

/**
 * The state of a replica with proposed changes over it. It follows the replica: each change of the deployment counts
 * at once, except for the items that the proposal sets or deletes. It writes nothing, and needs no `close`. Created by
 * `replica.overlay`. Its decisions throw when those of the replica do.
 */
export class Overlay implements LocalDecider {
  readonly #replica: OverlaidReplica;
  readonly #rules: DecisionRules;
  readonly #changes: readonly Apply[];
  /** The replica's evaluator and version that the proposal was last applied to. */
  #base: Evaluator | undefined;
  #version = 0;
  #proposed: Evaluator | undefined;

  /** @internal */
  constructor(replica: OverlaidReplica, rules: DecisionRules, changes: readonly Apply[]) {
    this.#replica = replica;
    this.#rules = rules;
    this.#changes = changes;
  }

  /** True while the replica is live. */
  get live(): boolean {
    return this.#replica.state === 'live';
  }

  /**
   * Throws unless the replica is live.
   * @throws ReplicaError (code `REPLICA`) with the reason.
   */
  assertLive(): void {
    if (!this.live) throw this.#replica.unusable();
  }

  /** Decides with the proposed changes if the subject may do `action` on `resource`. */
  evaluate(request: EvaluatorQuestion): Decision {
    return decideOne(this.#now(), this.#rules, request);
  }

  /** Decides with the proposed changes on many items at once. */
  evaluateMany(request: EvaluatorBatch): ManyDecisions {
    return decideMany(this.#now(), this.#rules, request);
  }

  /** Returns true only for an Allow. */
  isAllowed(request: EvaluatorQuestion): boolean {
    return this.evaluate(request).allowed;
  }

  /** Explains the decision of the policies with the proposed changes, as `replica.explain` does. */
  explain(request: EvaluatorQuestion): Explanation {
    const evaluator = this.#now();
    checkSubject(request, this.#rules.rules);
    checkItem(request);
    return explain(evaluator, request);
  }

  /** Returns a snapshot with the proposed changes: an independent evaluator, to compare or to ask several questions. */
  evaluator(): Evaluator {
    return this.#now().clone();
  }

  /** The state of the replica with the proposed changes; applied again only after the replica has changed. */
  #now(): Evaluator {
    const base = this.#replica.decider();
    const { version } = this.#replica;
    if (this.#proposed === undefined || base !== this.#base || version !== this.#version) {
      const proposed = base.clone();
      for (const apply of this.#changes) apply(proposed);
      this.#base = base;
      this.#version = version;
      this.#proposed = proposed;
    }
    return this.#proposed;
  }
}
