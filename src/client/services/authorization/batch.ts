import type { CallInfo } from '../../../base/arango-services-error.js';
import type { Decision, EvaluationItem } from '../../../policy/model/model.js';
import { AbortListeners, Deadline, within, withSignal } from '../../connection/deadline.js';
import type { WireSubject } from './authorization-messages.js';
import type { EvaluateOptions } from './evaluate-options.js';

/** Evaluations that share one request. */
interface Group {
  readonly items: EvaluationItem[];
  /** Aborted when every caller has aborted. */
  readonly controller: AbortController;
  readonly decisions: Promise<readonly Decision[]>;
  /** The deadlines of the callers that wait. */
  readonly waiting: Set<Deadline>;
}

/** Requests decisions on several items at once. */
export type Decide = (
  subject: WireSubject,
  items: readonly EvaluationItem[],
  options: EvaluateOptions,
) => Promise<readonly Decision[]>;

/** Sends the questions of one tick as one request per subject and options, aborted if all of its callers abort. */
export class Batch {
  readonly #decide: Decide;
  readonly #listeners = new AbortListeners();
  readonly #groups = new Map<string, Group>();

  constructor(decide: Decide) {
    this.#decide = decide;
  }

  /** Returns the decision on one item. `call` is the call that errors name. */
  async evaluate(
    subject: WireSubject,
    item: EvaluationItem,
    { signal, ...options }: EvaluateOptions,
    call: CallInfo,
  ): Promise<Decision> {
    const deadline = new Deadline(call, { signals: withSignal([], signal) }, this.#listeners);
    return within(deadline, async () => {
      const group = this.#join(subject, options);
      const index = group.items.push(item) - 1;
      group.waiting.add(deadline);
      deadline.onRelease = () => {
        group.waiting.delete(deadline);
        if (group.waiting.size === 0) group.controller.abort();
      };
      // There is one decision per item: the response was validated.
      return (await group.decisions)[index] as Decision;
    });
  }

  #join(subject: WireSubject, options: EvaluateOptions): Group {
    const key = JSON.stringify([subject, options]);
    const open = this.#groups.get(key);
    if (open !== undefined) return open;
    const items: EvaluationItem[] = [];
    const controller = new AbortController();
    const decisions = Promise.resolve().then(() => {
      this.#groups.delete(key);
      return this.#decide(subject, items, { ...options, signal: controller.signal });
    });
    const group = { items, controller, decisions, waiting: new Set<Deadline>() };
    this.#groups.set(key, group);
    return group;
  }
}
