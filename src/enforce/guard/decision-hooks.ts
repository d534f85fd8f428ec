import { createMomentFormat } from '../../base/lib/moment.js';
import { notify, type OnDecision } from '../../policy/decision-line/on-decision.js';
import type { Owner } from '../../policy/model/subject.js';
import type { GuardSettings } from './guard-options.js';
import { type DecidedQuestion, madeDecisions } from './made-decisions.js';
import { Shadow } from './shadow.js';
import type { OwnerOrNot, Source, SourceCall } from './source.js';

/** Returns the microseconds since a check began; undefined if no hook needs them. */
export type Elapsed = (() => number) | undefined;

/** Reports the decisions of a guard to its hooks, and asks its shadow. */
export class DecisionHooks {
  readonly shadow: Shadow | undefined;
  readonly #source: Source['name'];
  readonly #onDecision: OnDecision | undefined;
  readonly #onAnswer: OnDecision | undefined;
  readonly #now: () => number;
  readonly #timeOf = createMomentFormat();

  constructor(source: Source['name'], settings: GuardSettings) {
    const { shadow: decider, shadowTimeoutMs: timeout, shadowLimit: limit, onShadow, onDecision } = settings;
    this.shadow = decider && new Shadow({ decider, timeout, limit, onShadow, onDecision });
    this.#source = source;
    this.#onDecision = onDecision;
    this.#onAnswer = settings.onAnswer;
    this.#now = settings.now;
  }

  /** `owner` is that of the token, or a function that looks it up, which only hooks and the shadow need. */
  emit(
    decided: () => readonly DecidedQuestion[],
    owner: Owner | (() => Promise<OwnerOrNot>),
    headers: SourceCall['headers'],
    elapsed: Elapsed,
  ): void {
    const source = this.#source;
    // Without a shadow, `onDecision` is called at once, too.
    const hooks = [this.#onAnswer, this.shadow ? undefined : this.#onDecision].filter((hook) => hook !== undefined);
    if (this.shadow === undefined && hooks.length === 0) return;
    const questions = decided();
    const durationUs = elapsed?.();
    if (typeof owner !== 'function' && hooks.length > 0) {
      const made = madeDecisions(questions, owner, { source, headers, durationUs, time: undefined });
      for (const hook of hooks) for (const decision of made) notify(hook, decision);
    }
    if (this.shadow !== undefined) {
      const ms = this.#now();
      const decisions = (tokenOwner: Owner) =>
        madeDecisions(questions, tokenOwner, { source, headers, durationUs, time: this.#timeOf(ms) });
      this.shadow.ask({ questions, owner, decisions });
    }
  }
}
