import { fieldsOf, optional, readObject } from '../../base/lib/readers.js';
import { ownField } from '../../base/lib/values.js';
import { readDecision, readDecisions } from '../evaluate/decider-answers.js';
import type { Decider } from '../model/decider.js';
import { type AccessEvaluation, anyList, evaluation, semantic } from './entities.js';
import { type PolicyQuestion, readQuestion, type ToQuestion } from './mapping.js';
import { readBody, readOr } from './pdp-refusal.js';

/** The most items of a batch, and of a page. */
export const mostItems = 1_000;

/** A decider, and the mapping of AuthZEN to its questions. */
export type Judge = { readonly decider: Decider; readonly toQuestion: ToQuestion };

/** A decision in the JSON form of AuthZEN. */
export interface WireDecision {
  readonly decision: boolean;
  readonly context?: { readonly error: { readonly status: number; readonly message: string } };
}

/** Maps an evaluation to a question to the policies; undefined is a denial. */
export const questionOf = ({ toQuestion }: Pick<Judge, 'toQuestion'>, accessEvaluation: AccessEvaluation) =>
  readQuestion(toQuestion(accessEvaluation));

/** Answers a single evaluation. */
export async function evaluate(body: unknown, judge: Judge): Promise<WireDecision> {
  const question = questionOf(judge, readBody(body, evaluation));
  return { decision: question !== undefined && readDecision(await judge.decider.evaluate(question)) };
}

const parts = ['subject', 'action', 'resource', 'context'] as const;
const batch = fieldsOf({
  // Checks only that the defaults are objects: items may replace them, and each item is read with the remaining ones.
  subject: optional(readObject),
  action: optional(readObject),
  resource: optional(readObject),
  context: optional(readObject),
  evaluations: optional(anyList(mostItems)),
  options: optional(fieldsOf({ evaluations_semantic: optional(semantic, 'execute_all') })),
});

/** Reads an item with the defaults that it does not replace; an item that is not valid becomes its error. */
function readItem(item: unknown, defaults: object): AccessEvaluation | WireDecision {
  const isWhole = typeof item === 'object' && item !== null && !Array.isArray(item);
  const merged = isWhole
    ? Object.fromEntries(
        parts.map((part) => [part, Object.hasOwn(item, part) ? ownField(item, part) : ownField(defaults, part)]),
      )
    : item;
  return readOr(merged, evaluation, (message) => ({ decision: false, context: { error: { status: 400, message } } }));
}

/** Decides on all questions, with one call of the decider for each subject. */
async function decideAll(questions: readonly (PolicyQuestion | undefined)[], decider: Decider): Promise<boolean[]> {
  const bySubject = new Map<string, { readonly question: PolicyQuestion; readonly indexes: number[] }>();
  for (const [index, question] of questions.entries()) {
    if (question === undefined) continue;
    const key = JSON.stringify([question.user, question.roles]);
    const group = bySubject.get(key) ?? { question, indexes: [] };
    group.indexes.push(index);
    bySubject.set(key, group);
  }
  const allowed = questions.map(() => false);
  const groups = [...bySubject.values()].map(async ({ question: { user, roles }, indexes }) => {
    const items = indexes.map((index) => {
      // The cast: an index was only added for a question.
      const { user: _, roles: _roles, ...item } = questions[index] as PolicyQuestion;
      return item;
    });
    const question = roles === undefined ? { user, items } : { user, roles, items };
    const decisions = readDecisions(await decider.evaluateMany(question), indexes.length);
    for (const [i, index] of indexes.entries()) allowed[index] = decisions[i] === true;
  });
  await Promise.all(groups);
  return allowed;
}

/** Answers a batch; without items, the single evaluation of its defaults. */
export async function evaluateBatch(body: unknown, judge: Judge) {
  const { evaluations = [], options, ...defaults } = readBody(body, batch);
  if (evaluations.length === 0) return evaluate(body, judge);
  const items = evaluations.map((item) => readItem(item, defaults));
  const questions = items.map((item) => ('decision' in item ? undefined : questionOf(judge, item)));
  const allowed = await decideAll(questions, judge.decider);
  const decisions = items.map(
    (item, index): WireDecision => ('decision' in item ? item : { decision: allowed[index] === true }),
  );
  const rule = options?.evaluations_semantic;
  const last =
    rule === 'execute_all' || rule === undefined
      ? -1
      : decisions.findIndex(({ decision }) => decision === (rule === 'permit_on_first_permit'));
  return { evaluations: last < 0 ? decisions : decisions.slice(0, last + 1) };
}
