import { longestTimerMs } from '../../base/lib/wait.js';
import type { EvaluationItem } from '../../policy/model/model.js';
import { renewalBackoffMs } from '../credentials/renewal-times.js';
import { isSignInRequired } from '../credentials/sign-in.js';
import { isPageHidden } from './tabs.js';

/** Answers that a server had for a user when it rendered the page. */
export interface InitialPermissions {
  /** The name of the user. */
  readonly user: string;
  /** The time of the answers in milliseconds since 1970, like `Date.now()`. */
  readonly at: number;
  readonly items: readonly { readonly action: string; readonly resource: string; readonly allowed: boolean }[];
}

/** A question and its cached answer. */
export interface Answer {
  readonly item: EvaluationItem;
  allowed?: boolean | undefined;
  /** The time of the answer by the monotonic clock, which may stop while the machine sleeps, and by the system's. */
  at: readonly [clock: number, date: number];
  /** True from when the question is wanted until it has an answer. */
  isWanted: boolean;
  isInFlight: boolean;
  /** Resolve calls of {@link PermissionAnswers.wait}. */
  waiters: ((outcome: boolean | Promise<never>) => void)[];
}

/** The parts of a store that its answers need. */
interface AnswersOptions {
  /** Requests the answers to items, in their order. */
  readonly ask: (items: readonly EvaluationItem[]) => Promise<readonly boolean[]>;
  readonly ttl: number;
  readonly staleFor: number;
  /** Called after an answer changed. */
  readonly notify: () => void;
  /** True while something subscribes. */
  readonly isWatched: () => boolean;
}

const mostItems = 100;
/** The maximum number of answers that the timer keeps fresh: the most recently read ones. */
const mostRefreshed = 500;

const never = [Number.NEGATIVE_INFINITY, 0] as const;

const unasked = { at: never, isWanted: false, isInFlight: false };

const keyOf = ({ action, resource }: EvaluationItem): string => JSON.stringify([action, resource]);

const ageOf = ({ at: [clock, date] }: Answer): number => Math.max(performance.now() - clock, Date.now() - date);

/** Cached answers, and the timer that asks for them. */
export class PermissionAnswers {
  readonly #options: AnswersOptions;
  /** The answers by action and resource; those that were read last come last. */
  readonly #all = new Map<string, Answer>();
  #epoch = 0;
  #failures = 0;
  #retryAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Takes answers that a server had at a time. */
  seed({ at, items }: InitialPermissions): void {
    const age = Math.max(0, Date.now() - at);
    const arrivedAt = [performance.now() - age, Date.now() - age] as const;
    for (const { allowed, ...item } of items) {
      this.#all.set(keyOf(item), { ...unasked, item, waiters: [], allowed, at: arrivedAt });
    }
  }

  /** Returns the answer that may be shown, and asks if it is missing or older than `ttl`. */
  read(item: EvaluationItem): Answer {
    const key = keyOf(item);
    const answer = this.#all.get(key) ?? { ...unasked, item, waiters: [] };
    if (!answer.isWanted) this.#all.delete(key);
    this.#all.set(key, answer);
    const age = ageOf(answer);
    if (age >= this.#options.staleFor) answer.allowed = undefined;
    if (age >= this.#options.ttl && !answer.isWanted) {
      answer.isWanted = true;
      this.wake();
    }
    return answer;
  }

  /** Waits for an answer at once, also from a hidden page: false if forgotten meanwhile, or rejects. */
  wait(answer: Answer): Promise<boolean> {
    answer.at = never;
    this.#retryAt = 0;
    this.wake();
    return new Promise((resolve) => answer.waiters.push(resolve));
  }

  /** Forgets everything, also what is in flight. */
  forget(): void {
    const forgotten = [...this.#all.values()];
    this.#all.clear();
    this.#epoch++;
    this.#failures = 0;
    this.#retryAt = 0;
    this.#end(forgotten, true, () => false);
  }

  /** Finds the questions that are due, as soon as all questions of the moment have been read. */
  wake(ms = 0): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), Math.min(ms, longestTimerMs));
  }

  /** Drops answers that have expired, sends the questions that are due, and sets the timer for the next ones. */
  #look(): void {
    const { ttl, staleFor, isWatched, notify } = this.#options;
    const watched = isWatched();
    const isHidden = watched && isPageHidden();
    const sendInMs = this.#retryAt - performance.now();
    const due: Answer[] = [];
    const soon: Answer[] = [];
    let nextMs = Number.POSITIVE_INFINITY;
    let isChanged = false;
    let left = this.#all.size;
    for (const [key, answer] of this.#all) {
      const leftMs = staleFor - ageOf(answer);
      const isRefreshed = watched && --left < mostRefreshed;
      const isHeld = isHidden && answer.at !== never;
      if (leftMs <= 0) {
        isChanged ||= answer.allowed !== undefined;
        answer.allowed = undefined;
        // A held answer stays, so that its question is not new when the view reads it again.
        if (!answer.isWanted && !isHeld) this.#all.delete(key);
      } else if (watched) nextMs = Math.min(nextMs, leftMs);
      const inMs = answer.isWanted ? 0 : isRefreshed && leftMs > 0 ? ttl - ageOf(answer) : Number.POSITIVE_INFINITY;
      if (answer.isInFlight || isHeld) continue;
      if (inMs <= 0) due.push(answer);
      // Sent with those that are due, so that views that were mounted one by one share a request.
      else if (inMs <= ttl / 2) soon.push(answer);
      if (inMs > 0 || sendInMs > 0) nextMs = Math.min(nextMs, Math.max(inMs, sendInMs));
    }
    if (due.length > 0 && sendInMs <= 0) {
      due.push(...soon);
      while (due.length > 0) void this.#send(due.splice(0, mostItems));
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.wake(Math.ceil(nextMs));
    if (isChanged) notify();
  }

  async #send(batch: readonly Answer[]): Promise<void> {
    const started = this.#epoch;
    for (const answer of batch) {
      answer.isWanted = true;
      answer.isInFlight = true;
    }
    try {
      const answers = await this.#options.ask(batch.map(({ item }) => item));
      if (started === this.#epoch) this.#succeed(batch, answers);
    } catch (error) {
      if (started === this.#epoch) this.#fail(batch, error);
    }
  }

  #succeed(batch: readonly Answer[], answers: readonly boolean[]): void {
    let isChanged = false;
    for (const [i, answer] of batch.entries()) {
      isChanged ||= answer.allowed !== answers[i];
      answer.allowed = answers[i];
      answer.at = [performance.now(), Date.now()];
      answer.isWanted = false;
      answer.isInFlight = false;
    }
    this.#failures = 0;
    this.#retryAt = 0;
    this.#end(batch, isChanged, () => true);
  }

  #fail(batch: readonly Answer[], error: unknown): void {
    const now = performance.now();
    // Requests that fail together count once.
    if (now >= this.#retryAt) this.#retryAt = now + renewalBackoffMs(this.#failures++);
    const isOver = isSignInRequired(error);
    // Other requests in flight went out for the same user.
    if (isOver) this.#epoch++;
    let isChanged = false;
    for (const answer of isOver ? this.#all.values() : batch) {
      answer.isInFlight = false;
      // Where nothing subscribes, as on a server, it is asked again when it is read again.
      answer.isWanted &&= this.#options.isWatched();
      if (!isOver) continue;
      isChanged ||= answer.allowed !== undefined;
      answer.allowed = undefined;
      answer.at = never;
    }
    this.#end(batch, isChanged, () => Promise.reject(error));
  }

  /** Tells listeners, and all that wait for one of the answers. */
  #end(settled: readonly Answer[], isChanged: boolean, outcome: () => boolean | Promise<never>): void {
    this.wake();
    if (isChanged) this.#options.notify();
    for (const { waiters } of settled) for (const resolve of waiters.splice(0)) resolve(outcome());
  }
}
