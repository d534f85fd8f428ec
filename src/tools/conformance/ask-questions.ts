import { isArangoServicesError } from '../../base/arango-services-error.js';
import type { Mock } from '../../mock/index.js';
import type { Check } from './checks/check.js';
import type { KnownState } from './checks/state-checks.js';
import { compareAnswers, type PartDifference } from './compare-answers.js';
import { alternatives, type DeploymentSettings, mockWith } from './deployment-settings.js';
import { fill, type QuestionAnswer, type QuestionStep, type Texts, valueAt } from './question-exchange.js';
import { type Ask, askMock } from './side.js';

/** A step of a check, and a part of its answer that differs. */
export interface StepDifference extends PartDifference {
  readonly step: QuestionStep;
}

/** Keeps the values of an answer that later steps use. */
export function capture(step: QuestionStep, { body }: QuestionAnswer, into: Map<string, string>): void {
  for (const [name, pointer] of Object.entries(step.capture ?? {})) {
    const value = valueAt(body, pointer);
    if (typeof value === 'string') into.set(name, value);
  }
}

/**
 * Asks the questions of a check, one after the other.
 * @param before called before each question is sent, with its number; again if it is sent again.
 */
export async function askAll(
  { steps }: Check,
  ask: Ask,
  texts: Texts,
  before: (index: number) => void = () => {},
): Promise<QuestionAnswer[]> {
  const own = new Map(texts);
  const answers: QuestionAnswer[] = [];
  for (const [index, step] of steps.entries()) {
    const answer = await ask(fill(step.request, own), () => before(index));
    capture(step, answer, own);
    answers.push(answer);
  }
  return answers;
}

/** A check that was asked, the deployment's answers, and when each was asked for, in milliseconds since 1970. */
export interface Asked {
  readonly check: Check;
  readonly answers: readonly QuestionAnswer[];
  readonly times: readonly number[];
}

/** Compares the answers of a check with those of a mock at the same times. */
async function compareCheck({ check, answers, times }: Asked, mock: Mock, texts: Texts): Promise<StepDifference[]> {
  const expected = await askAll(check, askMock(mock), texts, (index) => mock.clock.set(times[index] ?? Date.now()));
  return check.steps.flatMap((step, index) => {
    const [ours, theirs] = [expected[index], answers[index]];
    if (ours === undefined || theirs === undefined) return [];
    const [expectedPart, part] = step.statusOnly
      ? [{ status: ours.status }, { status: theirs.status }]
      : [ours, theirs];
    return compareAnswers(expectedPart, part, step.volatile).map((difference) => ({ ...difference, step }));
  });
}

/** The checks that differ from a mock with some settings. */
export interface Fit {
  readonly settings: DeploymentSettings;
  /**
   * The number of checks that differ, counted up to that of the best settings before; undefined if no mock can have
   * these settings and the state.
   */
  readonly different: number | undefined;
}

/** Tries settings over answers that the deployment has given already: nothing more is asked. */
export class Fitting {
  readonly #asked: readonly Asked[];
  readonly #texts: Texts;
  readonly #key: string;
  readonly #state: KnownState;
  readonly tried: Fit[] = [];
  /** The fidelities that refuse the state. */
  readonly #refused = new Set<DeploymentSettings['fidelity']>();

  constructor(asked: readonly Asked[], texts: Texts, key: string, state: KnownState) {
    this.#asked = asked;
    this.#texts = texts;
    this.#key = key;
    this.#state = state;
  }

  /** A mock with these settings, or undefined if its fidelity refuses the state. */
  async mock(settings: DeploymentSettings): Promise<Mock | undefined> {
    if (this.#refused.has(settings.fidelity)) return undefined;
    try {
      return await mockWith(settings, this.#key, this.#state);
    } catch (error) {
      if (!isArangoServicesError(error) || error.code !== 'INVALID_ARGUMENT') throw error;
      this.#refused.add(settings.fidelity);
      return undefined;
    }
  }

  /** The differences from a mock with these settings, up to `most`; undefined if there is no such mock. */
  async differences(
    settings: DeploymentSettings,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Map<Check, StepDifference[]> | undefined> {
    const mock = await this.mock(settings);
    if (mock === undefined) return undefined;
    await using _open = mock;
    const byCheck = new Map<Check, StepDifference[]>();
    for (const askedCheck of this.#asked) {
      const parts = await compareCheck(askedCheck, mock, this.#texts);
      if (parts.length > 0) byCheck.set(askedCheck.check, parts);
      if (byCheck.size >= most) break;
    }
    return byCheck;
  }

  async #try(settings: DeploymentSettings, most?: number): Promise<Fit> {
    const key = JSON.stringify(settings);
    const before = this.tried.find((tried) => JSON.stringify(tried.settings) === key);
    if (before !== undefined) return before;
    const fit = { settings, different: (await this.differences(settings, most))?.size };
    this.tried.push(fit);
    return fit;
  }

  /** Changes one setting at a time, as long as fewer checks differ. Settings of `fixed` stay. */
  async best(
    start: DeploymentSettings,
    fixed: Partial<DeploymentSettings>,
    ttl: DeploymentSettings['ttl'] | undefined,
  ): Promise<Fit> {
    const open = alternatives(ttl).filter((change) => Object.keys(change).every((name) => !(name in fixed)));
    let best = await this.#try({ ...start, ...fixed });
    for (let improved = true; improved && best.different !== 0; ) {
      improved = false;
      for (const change of open) {
        const next = await this.#try({ ...best.settings, ...change }, best.different);
        if (next.different !== undefined && next.different < (best.different ?? Number.POSITIVE_INFINITY)) {
          best = next;
          improved = true;
        }
      }
    }
    return best;
  }
}
