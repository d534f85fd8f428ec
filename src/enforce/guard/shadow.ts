import { quietly } from '../../base/lib/quietly.js';
import { hasMethod } from '../../base/lib/values.js';
import { longestTimerMs } from '../../base/lib/wait.js';
import type { ShadowDecision } from '../../policy/decision-line/line.js';
import type { MadeDecision } from '../../policy/decision-line/made-decision.js';
import { notify, type OnDecision } from '../../policy/decision-line/on-decision.js';
import { readDecision, readDecisions } from '../../policy/evaluate/decider-answers.js';
import { type Decider, muted, type UserSubject } from '../../policy/model/decider.js';
import type { EvaluatorQuestion } from '../../policy/model/model.js';
import { NotValid, type Owner } from '../../policy/model/subject.js';
import type { DecidedQuestion } from './made-decisions.js';
import { isUnnamed, nameOf, type OwnerOrNot } from './source.js';

/** The number of questions for the shadow of a guard so far, by outcome. */
export interface ShadowCounts {
  /** Questions with the guard's answer. */
  readonly same: number;
  /** Questions with another answer, which were reported. */
  readonly different: number;
  /** Questions without an answer: the shadow threw, rejected, took too long, or returned no decision. */
  readonly failed: number;
  /** Questions that were not asked, because too many were open. */
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

/** The answers of the shadow to the questions that a decider decides. */
type Answered = { readonly owner: Owner; readonly allowed: readonly boolean[] };

/** Requests wait this long for others: two timers for all of them cost less than two for each. */
const gatherMs = 10;

/**
 * Asks a second decider the questions of a guard after the guard has answered them, and compares both answers. Requests
 * never wait for the shadow: it has a timeout and a limit of pending requests, beyond which requests are dropped. Only
 * the lines of the decision log wait for the shadow, at most until its timeout.
 */
export class Shadow {
  readonly #settings: ShadowSettings;
  /** The decider without a hook of its own, which would tell of decisions that are not enforced. */
  readonly #decider: Decider;
  readonly #source: string;
  /** The requests that will be asked together next. */
  #gathered: ShadowedRequest[] = [];
  /** The number of requests that wait for the shadow; `#ends` has a promise for each batch that is being asked. */
  #open = 0;
  readonly #ends = new Set<Promise<void>>();
  readonly #counts = { same: 0, different: 0, failed: 0, dropped: 0, lastError: undefined as unknown };

  constructor(settings: ShadowSettings) {
    this.#settings = settings;
    this.#decider = muted(settings.decider);
    this.#source = nameOf(settings.decider);
  }

  get counts(): ShadowCounts {
    return { ...this.#counts };
  }

  /** Takes the questions of a request; asks later. */
  ask(request: ShadowedRequest): void {
    if (this.#open >= this.#settings.limit) {
      this.#giveUp(request, 'dropped');
      return;
    }
    this.#open++;
    if (this.#gathered.push(request) > 1) return;
    const end = this.#askGathered().then(() => void this.#ends.delete(end));
    this.#ends.add(end);
  }

  /** Resolves when the open requests are done. The process stays alive until then, so that the log can be closed. */
  async settled(): Promise<void> {
    const alive = setInterval(() => undefined, longestTimerMs);
    await Promise.all(this.#ends);
    clearInterval(alive);
  }

  /** Asks in a later turn of the event loop, and gives up after the timeout. Its timer keeps no process alive. */
  async #askGathered(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, gatherMs));
    const requests = this.#gathered;
    this.#gathered = [];
    const { timeout } = this.#settings;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const overdue = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new TypeError(`the shadow did not answer within ${timeout} ms`)), timeout);
    });
    // Browsers return a number.
    if (hasMethod(timer, 'unref')) (timer as { unref(): void }).unref();
    await Promise.all(requests.map((request) => this.#compare(request, overdue)));
    clearTimeout(timer);
  }

  /** Never rejects: the failures of hooks stay with them. */
  async #compare(request: ShadowedRequest, overdue: Promise<never>): Promise<void> {
    let answered: Answered;
    try {
      answered = await Promise.race([this.#decide(request), overdue]);
    } catch (error) {
      this.#counts.lastError = error;
      this.#giveUp(request, 'failed');
      return;
    } finally {
      this.#open--;
    }
    const { owner, allowed } = answered;
    let next = 0;
    const shadows = request.questions.map((question) => {
      const answer = question.item !== undefined && allowed[next++] === true;
      this.#counts[answer === question.allowed ? 'same' : 'different']++;
      return answer === question.allowed ? undefined : this.#toShadow(owner, question, answer);
    });
    this.#report(request, owner, shadows);
  }

  async #decide({ owner: ownerSource, questions }: ShadowedRequest): Promise<Answered> {
    const owner = typeof ownerSource === 'function' ? await ownerSource() : ownerSource;
    if (owner instanceof NotValid) throw new TypeError('the token is not valid any more');
    const items = questions.flatMap(({ item }) => item ?? []);
    const [first] = items;
    if (first === undefined || isUnnamed(owner)) return { owner, allowed: [] };
    const decider = this.#decider;
    // The cast: a decider that takes no superuser rejects it.
    const subject = owner.subject as UserSubject;
    const allowed =
      items.length === 1
        ? [readDecision(await decider.evaluate({ ...subject, ...first }))]
        : readDecisions(await decider.evaluateMany({ ...subject, items }), items.length);
    return { owner, allowed };
  }

  /** Counts the questions as failed or dropped, and reports the guard's own decisions. */
  #giveUp(request: ShadowedRequest, outcome: 'failed' | 'dropped'): void {
    this.#counts[outcome] += request.questions.length;
    if (typeof request.owner !== 'function') this.#report(request, request.owner, []);
  }

  /** Reports the decisions to the hooks, with the answers of the shadow that differ, by the index of the question. */
  #report({ decisions }: ShadowedRequest, owner: Owner, shadows: readonly (ShadowDecision | undefined)[]): void {
    const { onDecision, onShadow } = this.#settings;
    if (!onDecision && !(onShadow && shadows.some((shadow) => shadow))) return;
    for (const [i, decision] of decisions(owner).entries()) {
      const shadow = shadows[i];
      const made = shadow === undefined ? decision : { ...decision, shadow };
      if (onDecision) notify(onDecision, made);
      // The cast: `made` has a shadow.
      if (onShadow && shadow) notify(onShadow as OnDecision, made);
    }
  }

  #toShadow(owner: Owner, question: DecidedQuestion, allowed: boolean): ShadowDecision {
    const { decider } = this.#settings;
    const shadow = { effect: allowed ? ('Allow' as const) : ('Deny' as const), source: this.#source };
    if (question.item === undefined || !hasMethod(decider, 'explain')) return shadow;
    try {
      // The casts: a decider that explains does so as a replica does.
      const { explain } = decider as unknown as { explain(request: EvaluatorQuestion): { reason: never } };
      const explained = explain.call(decider, { ...owner.subject, ...question.item } as EvaluatorQuestion);
      if (!hasMethod(explained, 'then')) return { ...shadow, reason: explained.reason };
      // The line does not wait for an explanation. If its rejection were unhandled, Node would end the process.
      void quietly(() => explained);
      return shadow;
    } catch {
      return shadow;
    }
  }
}
