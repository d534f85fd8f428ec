import { createMomentFormat } from '../../base/lib/moment.js';
import { quietly } from '../../base/lib/quietly.js';
import { waitOnce } from '../../base/lib/wait.js';
import type { MadeDecision } from '../decision-line/made-decision.js';
import { formatDecision, formatLine, type LineRules } from './format-line.js';
import type { LineOutput } from './line-output.js';
import { longestLine } from './log-lines.js';

/** Decisions wait this long for others: one timer and one write for many lines cost less than one for each. */
const gatherMs = 10;

/** The number of decisions that are formatted in one turn of the event loop. */
const turn = 500;

/** A decision that waits, with the time at which it was recorded. */
type Waiting = { readonly decision: MadeDecision; readonly ms: number };

/** The settings of a queue. */
export interface QueueSettings {
  readonly output: LineOutput;
  readonly rules: LineRules;
  readonly hash: ((user: string) => Promise<string> | string) | undefined;
  readonly buffer: number;
  readonly now: () => number;
  readonly onError: ((error: unknown) => void) | undefined;
}

/** The decisions that wait to be written. */
export class DecisionQueue {
  readonly #settings: QueueSettings;
  readonly #timeOf = createMomentFormat();
  #waiting: Waiting[] = [];
  /** The number of decisions that wait, those of the current batch included. */
  #held = 0;
  /** The number of dropped decisions that no line counts yet. */
  #uncounted = 0;
  #draining: Promise<void> | undefined;
  #closed = false;
  /** True if a write failed: its last line may be half written. */
  #broken = false;
  dropped = 0;

  constructor(settings: QueueSettings) {
    this.#settings = settings;
  }

  add(decision: MadeDecision): void {
    if (this.#closed || this.#held >= this.#settings.buffer) {
      this.drop(1);
      return;
    }
    this.#waiting.push({ decision, ms: this.#settings.now() });
    this.#held += 1;
    this.#draining ??= this.#drain();
  }

  drop(count: number): void {
    this.dropped += count;
    this.#uncounted += count;
  }

  async flush(): Promise<void> {
    if (this.#uncounted > 0) this.#draining ??= this.#drain();
    await this.#draining;
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.flush();
  }

  /** Writes in rounds until nothing waits. The gap of a round comes after its decisions, because it began later. */
  async #drain(): Promise<void> {
    await waitOnce(gatherMs, []);
    do {
      const batch = this.#waiting;
      const uncounted = this.#uncounted;
      this.#waiting = [];
      this.#uncounted = 0;
      for (let start = 0; start < batch.length; start += turn) {
        if (start > 0) await waitOnce(0, []);
        const part = batch.slice(start, start + turn);
        await this.#write(part);
        this.#held -= part.length;
      }
      if (uncounted > 0) await this.#writeGap(uncounted);
    } while (this.#waiting.length > 0 || (this.#uncounted > 0 && !this.#broken));
    this.#draining = undefined;
  }

  async #write(part: readonly Waiting[]): Promise<void> {
    const lines: string[] = [];
    for (const decision of part) {
      // Without a hash nothing needs to be waited for, and a promise for each line would cost as much as its text.
      const line = this.#settings.hash ? await this.#hashAndFormat(decision) : this.#format(decision, undefined);
      if (line === undefined) this.drop(1);
      else lines.push(line);
    }
    if (lines.length > 0 && !(await this.#put(lines.join('')))) this.drop(lines.length);
  }

  async #hashAndFormat(waiting: Waiting): Promise<string | undefined> {
    try {
      const { user } = waiting.decision.subject;
      return this.#format(waiting, user === undefined ? undefined : await this.#settings.hash?.(user));
    } catch {
      return undefined;
    }
  }

  /** The line of a decision; undefined if it cannot be written: it throws, is cyclic, or is too long. */
  #format({ decision, ms }: Waiting, hash: string | undefined): string | undefined {
    try {
      const line = formatDecision(decision, decision.time ?? this.#timeOf(ms), this.#settings.rules, hash);
      return line.length > longestLine ? undefined : line;
    } catch {
      return undefined;
    }
  }

  async #writeGap(dropped: number): Promise<void> {
    const time = this.#gapTime();
    if (!(await this.#put(formatLine({ v: 1, kind: 'gap', time, dropped })))) this.#uncounted += dropped;
  }

  /** The time of a gap: by the system's clock if that of the options fails, which may be why there is a gap. */
  #gapTime(): string {
    try {
      return this.#timeOf(this.#settings.now());
    } catch {
      return this.#timeOf(Date.now());
    }
  }

  /** Writes lines; false if that failed. The reader skips the empty line that ends a half line. */
  async #put(lines: string): Promise<boolean> {
    const { output, onError } = this.#settings;
    try {
      await output(this.#broken ? `\n${lines}` : lines);
      this.#broken = false;
      return true;
    } catch (error) {
      this.#broken = true;
      void quietly(() => onError?.(error));
      return false;
    }
  }
}
