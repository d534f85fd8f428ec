import type { Evaluator, EvaluatorSubject } from '../../policy/index.js';
import { subjectOf } from '../../policy/model/subject.js';
import type { ConsoleAnswer, ConsoleQuestion, TokenReport } from '../api.js';
import { explanationTree } from './explanation-tree.js';

const notes: ReadonlyMap<string, string> = new Map([
  ['always', 'The authorization type is "always": the platform allows everything, whatever its policies say.'],
  ['never', 'The authorization type is "never": the platform denies everything, whatever its policies say.'],
  [
    'central-permissive',
    'The authorization type is "central-permissive": the platform may allow more than its policies.',
  ],
]);

/** The subject of a valid token. */
const ownerOf = ({ user, groups, superuser }: TokenReport): EvaluatorSubject =>
  subjectOf({ user: user ?? undefined, groups }, superuser && groups.length === 0);

/** Answers a question. `judge` reads its token, if it has one. */
export async function answerQuestion(
  evaluator: () => Evaluator,
  { subject, action, resource }: ConsoleQuestion,
  judge: (text: string) => Promise<TokenReport>,
  authorization: string | null,
): Promise<ConsoleAnswer> {
  const note = (authorization !== null && notes.get(authorization)) || null;
  const token = 'token' in subject ? await judge(subject.token) : null;
  if (token !== null && !token.valid) return { token, tree: null, note };
  // The cast: without a token, the question names a subject.
  const who = token === null ? (subject as EvaluatorSubject) : ownerOf(token);
  return { token, tree: explanationTree(evaluator(), who, { action, resource }), note };
}
