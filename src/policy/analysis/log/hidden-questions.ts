import { remember } from '../../../base/lib/remember.js';
import type { HiddenDecision } from '../../decisions/line-reading.js';
import {
  type HiddenQuestion,
  type HiddenRecords,
  mergeRecords,
  newRecord,
  recordOf,
  type UndecidedRecord,
} from './hidden.js';
import type { Question } from './log-question.js';
import type { LogPlace, UndecidedReason } from './log-types.js';
import { type LineMoment, Steps } from './steps.js';

const keyOf = (user: string, action: string, resource: string): string => JSON.stringify([user, action, resource]);

/** The questions of a log that are hidden, equal ones once, and all lines that do not tell a decision. */
export class HiddenQuestions {
  readonly #hidden: HiddenRecords = new Map();
  readonly #unclear = new Map<Question, Map<string, UndecidedRecord>>();
  readonly #steps = new Map<string, Steps>();

  /** Adds a question without a decision. */
  add(question: HiddenQuestion, reason: UndecidedReason): UndecidedRecord {
    return recordOf(this.#hidden, question, reason);
  }

  /** Adds a line that may be a step of an evaluation: it is left out if its decision follows. */
  addStep(step: HiddenDecision, question: HiddenQuestion, moment: LineMoment, place: LogPlace): void {
    const { user, action, resource, time } = step;
    const steps = remember(this.#steps, keyOf(user, action, resource), () => new Steps());
    // The cast: only lines with these reasons have questions.
    const reason = step.reason as UndecidedReason;
    steps.add({ question, reason, time, place, ...moment }, this.#hidden);
  }

  /** Takes note of a decision, whose steps are left out. */
  decide(user: string | undefined, groups: readonly string[] | undefined, question: Question & LineMoment): void {
    if (this.#steps.size === 0 || user === undefined) return;
    this.#steps.get(keyOf(user, question.action, question.resource))?.decide(groups, question);
  }

  /** Adds a question whose decision alone is hidden. */
  addUnclear(question: Question, reason: UndecidedReason): UndecidedRecord {
    const records = remember(this.#unclear, question, () => new Map<string, UndecidedRecord>());
    return remember(records, reason, () => newRecord(reason, question));
  }

  /** Reads the whole log, with the steps whose decision has not come. */
  read() {
    const all: HiddenRecords = new Map();
    for (const records of [this.#hidden, ...[...this.#steps.values()].map(({ waiting }) => waiting)]) {
      mergeRecords(all, records);
    }
    const hidden = [...all.values()];
    const unclear = [...this.#unclear.values()].flatMap((records) => [...records.values()]);
    return {
      hidden: hidden.map(({ question }) => question),
      undecided: [...unclear, ...hidden.map(({ record }) => record)].filter(({ tally }) => tally.count > 0),
    };
  }
}
