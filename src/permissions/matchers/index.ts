// Matchers of permissions for vitest and Jest. Neither needs to be installed, not even for the types.

import { asGiven } from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import type { AnalysisState } from '../../policy/analysis/analysis-types.js';
import { readEvaluator } from '../../policy/analysis/read-evaluator.js';
import { pattern, readInput, subjectWith } from '../../policy/analysis/read-input.js';
import { type Effect, type EvaluatorQuestion, explain } from '../../policy/index.js';
import type { Permissions } from '../files/collect-files.js';
import { ownersIn, unknownOwnersOf } from '../model/known-owners.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { Explainer } from '../tests/explainer.js';

/** The result of a matcher, as vitest and Jest read it. */
export interface MatcherResult {
  readonly pass: boolean;
  /** Explains the decision; computed when it is called. */
  readonly message: () => string;
}

/** The matchers as methods of `expect(state)`; `R` is their return type. */
export interface PermissionMatchers<R = void> {
  /**
   * Passes if the state allows the question. The state is the result of `readPermissions` or `readState`, a policy
   * state, an evaluator or a replica.
   */
  toAllow(question: EvaluatorQuestion): R;
  /** Passes if the state denies the question. */
  toDeny(question: EvaluatorQuestion): R;
}

/** Misspelt fields are refused: an invalid question would be denied, and `toDeny` would pass. */
const readQuestion = subjectWith({ action: pattern, resource: pattern, context: asGiven });

/** Only a state from `readPermissions` knows file and line. */
const places = (state: unknown): Partial<Pick<Permissions, 'bindings' | 'groupBindings' | 'locate'>> =>
  // The cast: only a state from `readPermissions` has this method.
  hasMethod(state, 'locate') ? (state as Permissions) : {};

function match(matcher: string, effect: Effect, state: unknown, question: EvaluatorQuestion): MatcherResult {
  readInput(question, matcher, readQuestion);
  const { action, resource } = question;
  const wild = Object.entries({ action, resource }).find(([, text]) => text.includes('*'));
  if (wild) throw new TypeError(`${matcher}: ${wild[0]}: must name one ${wild[0]}, without "*"`);
  // The cast: `readEvaluator` refuses other values.
  const evaluator = readEvaluator(state as AnalysisState, {});
  const problem = unknownOwnersOf(state as Partial<PermissionsState>)(ownersIn(question.user));
  if (problem !== undefined) throw new TypeError(`${matcher}: the ${problem}`);
  const explanation = explain(evaluator, question);
  const { effect: got } = explanation.decision;
  const pass = got === effect;
  // The message is shown if the matcher failed, or if it passed after `.not`.
  const wanted = (effect === 'Allow') === pass ? 'Deny' : 'Allow';
  const message = () => `expected ${wanted}, got ${new Explainer(places(state)).text(evaluator, explanation)}`;
  return { pass, message };
}

/**
 * Matchers for `expect.extend` of vitest and Jest: `toAllow` and `toDeny`. The message of a failure is the explanation
 * of the decision.
 *
 * @example
 * ```ts
 * import { permissionMatchers } from 'arango-services/permissions/matchers';
 *
 * // expect.extend(permissionMatchers);
 * // expect(state).toAllow({ user: 'alice', action: 'orders:read', resource: 'order:7' });
 * const question = { user: 'eve', action: 'orders:read', resource: 'order:7' };
 * const { pass, message } = permissionMatchers.toAllow({}, question);
 * console.log(pass, message()); // false expected Allow, got Deny: user "eve", …: the user has no binding
 * ```
 */
export const permissionMatchers = {
  /** Passes if the state allows the question. */
  toAllow: (state: unknown, question: EvaluatorQuestion): MatcherResult => match('toAllow', 'Allow', state, question),
  /** Passes if the state denies the question. */
  toDeny: (state: unknown, question: EvaluatorQuestion): MatcherResult => match('toDeny', 'Deny', state, question),
};

// biome-ignore lint/suspicious/noTsIgnore: it is an error only where vitest is missing.
/** @ts-ignore vitest need not be installed. */
declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends PermissionMatchers<R> {}
}

// biome-ignore lint/suspicious/noTsIgnore: it is an error only where Jest is missing.
/** @ts-ignore Jest need not be installed. This is `expect` of `@jest/globals`. */
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends PermissionMatchers<R> {}
}

declare global {
  // The global `expect` of `@types/jest`.
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: all declarations need the same type parameters.
    interface Matchers<R, T = {}> extends PermissionMatchers<R> {}
  }
}
