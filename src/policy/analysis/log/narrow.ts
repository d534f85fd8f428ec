import { remember } from '../../../base/lib/remember.js';
import type { Statement } from '../../index.js';
import { actionFault, Pattern, resourceFault } from '../../model/pattern.js';
import type { Question } from './log-question.js';
import { toProducts } from './products.js';
import type { Generalise } from './wishes.js';

export type NarrowedStatement = Pick<Statement, 'actions' | 'resources'>;
/** The statements that allow, by policy. */
export type Grants = ReadonlyMap<string, readonly NarrowedStatement[]>;

/** The granted patterns that match a text. */
type Matching = (text: string) => readonly string[];

const matchingOf = (granted: readonly string[]): Matching => {
  const compiled = granted.map((text) => ({ text, pattern: new Pattern(text) }));
  return (wanted) => compiled.filter(({ pattern }) => pattern.matches(wanted)).map(({ text }) => text);
};

/** The text itself as a pattern, or the granted patterns that match it if it would match more than itself. */
const narrow = (text: string, fault: string | undefined, matching: Matching): readonly string[] =>
  text.includes('*') || fault !== undefined ? matching(text) : [text];

/** Narrows a statement to questions: one statement for all actions with the same resources. */
export function narrowed(
  statement: Statement,
  questions: readonly Pick<Question, 'action' | 'resource'>[],
  generalise: Generalise | undefined,
): NarrowedStatement[] {
  if (generalise === 'statements') return [statement];
  const [matchingActions, matchingResources] = [matchingOf(statement.actions), matchingOf(statement.resources)];
  const byAction = new Map<string, Set<string>>();
  for (const { action, resource } of questions) {
    const resources =
      generalise === 'resources'
        ? matchingResources(resource)
        : narrow(resource, resourceFault(resource), matchingResources);
    for (const actionPattern of narrow(action, actionFault(action), matchingActions)) {
      const patterns = remember(byAction, actionPattern, () => new Set<string>());
      for (const pattern of resources) patterns.add(pattern);
    }
  }
  return toProducts(byAction);
}
