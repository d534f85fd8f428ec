import { printable } from '../lib/printable.js';
import { type Change, describeItem, type Step } from './change.js';
import type { Plan } from './plan.js';

const mostNamed = 10;

const shorten = (texts: readonly string[]): readonly string[] =>
  texts.length > mostNamed ? [...texts.slice(0, mostNamed), `and ${texts.length - mostNamed} more`] : texts;

/** The items of steps, each once. */
const namesOf = (steps: readonly Step[], { changes }: Plan): readonly string[] =>
  [...new Set(steps.map(({ change }) => change))].flatMap((at) => {
    const change = changes[at];
    return change ? describeItem(change) : [];
  });

/** A plan was not applied completely. A further run continues where it stopped, unless there was another writer. */
export class ApplyError extends Error {
  /** Identifies this error if `instanceof` cannot (two copies of the package). */
  readonly code = 'APPLY';
  /** The items that another writer changed. */
  readonly conflicts: readonly Change[];
  /** The calls that this run made. */
  readonly done: readonly Step[];
  /** The calls of this run that may have been made: their answers were lost. */
  readonly unanswered: readonly Step[];

  constructor(
    problems: readonly string[],
    stopped: Pick<ApplyError, 'conflicts' | 'done' | 'unanswered'> & { readonly plan: Plan },
    cause?: unknown,
  ) {
    const { plan, done, unanswered, conflicts } = stopped;
    const [written, perhaps] = [namesOf(done, plan), namesOf(unanswered, plan)];
    const made = [
      ...(written.length === 0 ? [] : [`written: ${shorten(written).join(', ')}`]),
      ...(perhaps.length === 0 ? [] : [`perhaps written, because there was no answer: ${shorten(perhaps).join(', ')}`]),
    ];
    const parts = [...shorten(problems), ...(made.length === 0 ? ['nothing was written'] : made)];
    super(printable(parts.join('; ')), cause === undefined ? {} : { cause });
    this.name = 'ApplyError';
    this.conflicts = conflicts;
    this.done = [...done];
    this.unanswered = [...unanswered];
  }
}
