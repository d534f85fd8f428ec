import { type HiddenQuestion, type HiddenRecords, mergeRecords, note, recordOf } from './hidden.js';
import type { LogPlace, UndecidedReason } from './log-types.js';

/** The steps of an evaluation and its decision are logged within this time, also those of a batch. */
const evaluationMs = 5_000;

/** True for the reasons of lines that may be steps of an evaluation, whose decision is in another line. */
export const isStep = (reason: UndecidedReason): boolean => reason === 'debug' || reason === 'event';

/** The moment of a line, and the file that holds it. */
export type LineMoment = { readonly ms: number; readonly file: string | undefined };

/** True if two lines may belong to one evaluation: the same question later, or in another log, is another one. */
export const isNear = (a: LineMoment, b: LineMoment): boolean =>
  a.file === b.file && Math.abs(a.ms - b.ms) <= evaluationMs;

/** True if a step may belong to a decision with these roles; most steps lack them. */
export const mayBelong = ({ roles }: HiddenQuestion, groups: readonly string[] = []): boolean =>
  roles === undefined || JSON.stringify(roles) === JSON.stringify(groups);

/** A step, and the place of its line. */
interface StepLine extends LineMoment {
  readonly question: HiddenQuestion;
  readonly reason: UndecidedReason;
  readonly time: string;
  readonly place: LogPlace | undefined;
}

/** The steps of a user, action and resource that wait for their decision, which is logged after them. */
export class Steps {
  readonly waiting: HiddenRecords = new Map();
  #first: LineMoment | undefined;

  /** Adds a step. Steps that have waited too long are moved to `left`: the log lacks their decision. */
  add({ question, reason, time, place, ms, file }: StepLine, left: HiddenRecords): void {
    if (this.#first === undefined || !isNear(this.#first, { ms, file })) {
      mergeRecords(left, this.waiting);
      this.waiting.clear();
      this.#first = { ms, file };
    }
    note(recordOf(this.waiting, question, reason), time, ms, place);
  }

  /** Takes out the steps that belong to a decision. */
  decide(groups: readonly string[] | undefined, moment: LineMoment): void {
    if (this.#first === undefined || !isNear(this.#first, moment)) return;
    for (const [key, { question }] of this.waiting) if (mayBelong(question, groups)) this.waiting.delete(key);
  }
}
