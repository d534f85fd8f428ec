import { createMomentFormat } from '../../base/lib/moment.js';
import { type OnDecision, tell } from '../../policy/decision-line/on-decision.js';
import type { Owner } from '../../policy/model/subject.js';
import type { GuardSettings } from './guard-options.js';
import { Shadow } from './shadow.js';
import type { OwnerOrNot, Source, SourceCall } from './source.js';
import { type DecidedQuestion, madeDecisions } from './tell-decisions.js';

/** Returns the microseconds since a check began; undefined without a hook, which alone asks for them. */
export type Elapsed = (() => number) | undefined;

/** Tells the hook of a guard about its decisions, and asks its shadow. */
export class DecisionHooks {
  readonly shadow: Shadow | undefined;
  readonly #source: Source['name'];
  readonly #onDecision: OnDecision | undefined;
  readonly #now: () => number;
  readonly #timeOf = createMomentFormat();

  constructor(source: Source['name'], settings: GuardSettings) {
    const { shadow: decider, shadowTimeout: timeout, shadowLimit: limit, onShadow, onDecision } = settings;
    this.shadow = decider && new Shadow({ decider, timeout, limit, onShadow, onDecision });
    this.#source = source;
    this.#onDecision = onDecision;
    this.#now = settings.now;
  }

  /** `owner` is known if there is a hook; else the shadow asks for it. */
  tell(
    decided: () => readonly DecidedQuestion[],
    owner: Owner | (() => Promise<OwnerOrNot>),
    headers: SourceCall['headers'],
    elapsed: Elapsed,
  ): void {
    const [onDecision, source] = [this.#onDecision, this.#source];
    if (onDecision === undefined && this.shadow === undefined) return;
    const questions = decided();
    const durationUs = elapsed?.();
    if (this.shadow !== undefined) {
      const ms = this.#now();
      const decisions = (known: Owner) =>
        madeDecisions(questions, known, { source, headers, durationUs, time: this.#timeOf(ms) });
      this.shadow.ask({ questions, owner, decisions });
    } else if (onDecision !== undefined && typeof owner !== 'function') {
      const made = madeDecisions(questions, owner, { source, headers, durationUs, time: undefined });
      for (const decision of made) tell(onDecision, decision);
    }
  }
}
