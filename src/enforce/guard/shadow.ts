import { quietly } from '../../base/lib/quietly.js';
import { hasMethod } from '../../base/lib/values.js';
import type { ShadowDecision } from '../../policy/decision-line/line.js';
import type { MadeDecision } from '../../policy/decision-line/made-decision.js';
import { type OnDecision, tell } from '../../policy/decision-line/on-decision.js';
import { readDecision, readDecisions } from '../../policy/evaluate/decider-answers.js';
import { type Decider, type UserSubject, untold } from '../../policy/model/decider.js';
import type { EvaluationItem, EvaluationRequest } from '../../policy/model/model.js';
import { NotValid, type Owner } from '../../policy/model/subject.js';
import { isUnnamed, nameOf, type OwnerOrNot } from './source.js';
import type { DecidedQuestion } from './tell-decisions.js';

/** The number of questions for the shadow of a guard so far, by outcome. */
export interface ShadowCounts {
  /** Answered as the guard answered. */
  readonly same: number;
  /** Answered otherwise, and reported. */
  readonly different: number;
  /** Not answered: the shadow threw, rejected, took too long, or returned no decision. */
  readonly failed: number;
  /** Not asked, because too many questions were open. */
  readonly dropped: number;
  /** The last failure of the shadow, for this service's own log. */
  readonly lastError: unknown;
}

/** A decision that the shadow disagrees with: `effect` is what the guard answered, `shadow` what it did not enforce. */
export interface ShadowDifference extends MadeDecision {
  readonly shadow: ShadowDecision;
}

/** Takes each decision that the shadow disagrees with. What it throws is ignored. */
export type OnShadow = (difference: ShadowDifference) => void;

/** The settings of a shadow. */
export interface ShadowSettings {
  readonly decider: Decider;
  readonly timeout: number;
  readonly limit: number;
  readonly onShadow: OnShadow | undefined;
  readonly onDecision: OnDecision | undefined;
}

/** The questions of one request, with what the guard answered. */
export interface ShadowedRequest {
  readonly questions: readonly DecidedQuestion[];
  /** The owner of the token, or a function that asks for it. */
  readonly owner: Owner | (() => Promise<OwnerOrNot>);
  readonly decisions: (owner: Owner) => readonly MadeDecision[];
}

/** A request that waits for the shadow. */
interface Open {
  readonly request: ShadowedRequest;
  /** The time at which the shadow is given up, on the monotonic clock; unlimited before it is asked. */
  until: number;
}

/** Questions wait this long for others: one timer for many of them costs less than one for each. */
const gatherMs = 10;

/**
 * Asks a second decider the questions of a guard, in turns of the event loop after the answers, and compares. It holds
 * nothing up: each request is given up after a time, there are at most so many at once, and further ones are dropped.
 * The lines of a decision log wait for it as long.
 */
export class Shadow {
  readonly #settings: ShadowSettings;
  /** The decider without a hook of its own, which would tell of decisions that are not enforced. */
  readonly #decider: Decider;
  readonly #source: string;
  #waiting: Open[] = [];
  readonly #open = new Set<Open>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settled: (() => void)[] = [];
  readonly #counts = { same: 0, different: 0, failed: 0, dropped: 0, lastError: undefined as unknown };

  constructor(settings: ShadowSettings) {
    this.#settings = settings;
    this.#decider = untold(settings.decider);
    this.#source = nameOf(settings.decider);
  }

  get counts(): ShadowCounts {
    return { ...this.#counts };
  }

  /** Takes the questions of a request; asks later. */
  ask(request: ShadowedRequest): void {
    if (this.#open.size >= this.#settings.limit) {
      this.#counts.dropped += request.questions.length;
      if (typeof request.owner !== 'function') this.#tell(request, request.owner);
      return;
    }
    const open = { request, until: Number.POSITIVE_INFINITY };
    this.#open.add(open);
    if (this.#waiting.push(open) === 1) setTimeout(() => this.#drain(), gatherMs);
  }

  /** Resolves when no question is open. The process stays alive until then, so that the log can be closed after it. */
  async settled(): Promise<void> {
    if (this.#open.size === 0) return;
    const settled = new Promise<void>((resolve) => this.#settled.push(resolve));
    if (hasMethod(this.#timer, 'ref')) (this.#timer as { ref(): void }).ref();
    await settled;
  }

  #drain(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const until = performance.now() + this.#settings.timeout;
    for (const open of waiting) {
      open.until = until;
      this.#start(open);
    }
    this.#watch();
  }

  #start(open: Open): void {
    const { owner } = open.request;
    try {
      if (typeof owner !== 'function') this.#decide(open, owner);
      else {
        const asked = owner().then((known) => {
          if (known instanceof NotValid) throw new TypeError('the token is not valid any more');
          this.#decide(open, known);
        });
        asked.catch((error: unknown) => this.#failed(open, error));
      }
    } catch (error) {
      this.#failed(open, error);
    }
  }

  #decide(open: Open, owner: Owner): void {
    const { questions } = open.request;
    const items: EvaluationItem[] = [];
    for (const { item } of questions) if (item !== undefined) items.push(item);
    const [first] = items;
    if (first === undefined || isUnnamed(owner)) {
      this.#answered(open, owner, []);
      return;
    }
    const decider = this.#decider;
    // The cast: a decider that takes no superuser rejects it.
    const subject = owner.subject as UserSubject;
    const isOne = items.length === 1;
    const answer = isOne ? decider.evaluate({ ...subject, ...first }) : decider.evaluateMany({ ...subject, items });
    const read = (given: unknown): void =>
      this.#answered(open, owner, isOne ? [readDecision(given)] : readDecisions(given, items.length));
    if (!hasMethod(answer, 'then')) read(answer);
    else {
      const answered = Promise.resolve(answer).then(read);
      answered.catch((error: unknown) => this.#failed(open, error));
    }
  }

  /** Compares. `allowed` has no answers for questions that are denied without a decider. */
  #answered(open: Open, owner: Owner, allowed: readonly boolean[]): void {
    if (!this.#open.delete(open)) return;
    const { request } = open;
    let next = 0;
    let shadows: Map<number, ShadowDecision> | undefined;
    request.questions.forEach((question, i) => {
      const answer = question.item !== undefined && allowed[next++] === true;
      if (answer === question.allowed) this.#counts.same++;
      else {
        this.#counts.different++;
        shadows ??= new Map();
        shadows.set(i, this.#toShadow(owner, question, answer));
      }
    });
    this.#tell(request, owner, shadows);
    this.#closed();
  }

  #failed(open: Open, error: unknown): void {
    if (!this.#open.delete(open)) return;
    const { request } = open;
    this.#counts.failed += request.questions.length;
    this.#counts.lastError = error;
    if (typeof request.owner !== 'function') this.#tell(request, request.owner);
    this.#closed();
  }

  /** Tells the hooks about the decisions, with the answers of the shadow that differ, by the index of the question. */
  #tell({ decisions }: ShadowedRequest, owner: Owner, shadows?: ReadonlyMap<number, ShadowDecision>): void {
    const { onDecision, onShadow } = this.#settings;
    if (!onDecision && !(onShadow && shadows)) return;
    decisions(owner).forEach((decision, i) => {
      const shadow = shadows?.get(i);
      const made = shadow === undefined ? decision : { ...decision, shadow };
      if (onDecision) tell(onDecision, made);
      // The cast: it has a shadow.
      if (onShadow && shadow) tell(onShadow as OnDecision, made);
    });
  }

  #toShadow(owner: Owner, question: DecidedQuestion, allowed: boolean): ShadowDecision {
    const { decider } = this.#settings;
    const shadow = { effect: allowed ? ('Allow' as const) : ('Deny' as const), source: this.#source };
    if (question.item === undefined || !hasMethod(decider, 'explain')) return shadow;
    try {
      // The casts: a decider that explains does so as a replica does.
      const { explain } = decider as unknown as { explain(request: EvaluationRequest): { reason: never } };
      const explained = explain.call(decider, { ...owner.subject, ...question.item } as EvaluationRequest);
      if (!hasMethod(explained, 'then')) return { ...shadow, reason: explained.reason };
      // The line does not wait for an explanation. If its rejection were unhandled, Node would end the process.
      void quietly(() => explained);
      return shadow;
    } catch {
      return shadow;
    }
  }

  /** Gives up requests that took too long. The timer keeps no process alive, unless `settled` waits for it. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    const [oldest] = this.#open;
    // Requests that were not asked yet are watched from then on.
    if (oldest === undefined || oldest.until === Number.POSITIVE_INFINITY) return;
    const timer = setTimeout(
      () => {
        this.#timer = undefined;
        const now = performance.now();
        for (const open of this.#open) {
          if (open.until > now) break;
          this.#failed(open, new TypeError(`the shadow did not answer within ${this.#settings.timeout} ms`));
        }
        this.#watch();
      },
      Math.max(1, oldest.until - performance.now()),
    );
    this.#timer = timer;
    // Browsers return a number.
    if (this.#settled.length === 0 && hasMethod(timer, 'unref')) (timer as { unref(): void }).unref();
  }

  #closed(): void {
    if (this.#open.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const resolve of this.#settled.splice(0)) resolve();
  }
}
