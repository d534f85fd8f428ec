import { formatReason } from '../analysis/format-comparison.js';
import { type Grantee, type PatternPair, type WhoCanOptions, whoCan } from '../analysis/index.js';
import { counted } from '../lib/counted.js';
import { printable } from '../lib/printable.js';
import { createEvaluator, type Explanation, explain, type Fidelity, formatExplanation } from '../policy/index.js';
import { PermissionsError } from './error.js';
import type { PermissionsState } from './model.js';

/**
 * The bindings behind an answer: of all users of a deployment, of the users named, or those of files, which say nothing
 * of what a deployment has besides.
 */
export type KnownBindings = 'all' | 'files' | readonly string[];

/** A decision with its reasons, and the bindings that it was made from. */
export interface ExplainedAccess {
  readonly explanation: Explanation;
  readonly known: KnownBindings;
}

/** Those who have access, and the bindings that they were found in. */
export interface AccessHolders {
  readonly holders: readonly Grantee[];
  readonly known: KnownBindings;
}

/** A question about a user. */
export interface AccessQuestion {
  readonly user: string;
  readonly action: string;
  readonly resource: string;
}

const knownOf = (state: PermissionsState): KnownBindings => ('files' in state ? 'files' : state.users);

/**
 * Explains if and why a user may do something, by a state of files or of a deployment.
 *
 * @throws PermissionsError (code `PERMISSIONS`) for a user whose bindings the state does not know; PolicyError (code
 *   `POLICY`) for a state that is not valid.
 *
 * @example
 * ```ts
 * import { explainAccess, formatExplainedAccess, readState } from 'arango-services/permissions';
 *
 * const state = await readState(client, { users: ['alice'] });
 * const explained = explainAccess(state, { user: 'alice', action: 'orders:read', resource: 'orders:7' });
 * console.log(formatExplainedAccess(explained));
 * ```
 */
export function explainAccess(
  state: PermissionsState,
  { user, action, resource }: AccessQuestion,
  { fidelity = 'documented' }: { readonly fidelity?: Fidelity | undefined } = {},
): ExplainedAccess {
  const known = knownOf(state);
  if (typeof known === 'object' && !known.includes(user)) {
    throw new PermissionsError(
      `The bindings of user ${JSON.stringify(user)} are not known: name the user to readState`,
    );
  }
  return { explanation: explain(createEvaluator(state, { fidelity }), { user, action, resource }), known };
}

/**
 * Finds who may do something, by a state of files or of a deployment; action and resource may be patterns, as in
 * `whoCan`. The superuser, who may do everything, is not among them.
 *
 * @throws AnalysisError (code `ANALYSIS`) for a pattern that cannot be parsed, and above `maxWork`; PolicyError (code
 *   `POLICY`) for a state that is not valid.
 *
 * @example
 * ```ts
 * import { findHolders, formatHolders, readState } from 'arango-services/permissions';
 *
 * const state = await readState(client, { users: ['alice', 'bob'] });
 * console.log(formatHolders(findHolders(state, { action: 'orders:read', resource: 'orders:*' })));
 * ```
 */
export const findHolders = (
  state: PermissionsState,
  question: PatternPair,
  options: WhoCanOptions = {},
): AccessHolders => ({ holders: whoCan(state, question, options), known: knownOf(state) });

function noteOf(known: KnownBindings): string[] {
  if (known === 'all') return [];
  if (known === 'files') return ['', 'By the files alone: a deployment may have more policies, roles and bindings.'];
  return ['', `By the bindings of ${counted(known.length, 'named user')}; those of others are not known.`];
}

/**
 * An explanation as lines for people, or as JSON. The text may change between versions; programs read the data.
 *
 * @example
 * ```ts
 * import { explainAccess, formatExplainedAccess } from 'arango-services/permissions';
 *
 * const state = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' } as const;
 * formatExplainedAccess(explainAccess(state, { user: 'alice', action: 'a:b', resource: '' }));
 * // Deny: user "alice", "a:b" on "": the user has no binding
 * ```
 */
export function formatExplainedAccess(explained: ExplainedAccess, as: 'text' | 'json' = 'text'): string {
  if (as === 'json') return JSON.stringify(explained);
  const { explanation, known } = explained;
  // The user's bindings are known, so there is nothing to say about others.
  return [formatExplanation(explanation), ...(known === 'files' ? noteOf(known) : [])].join('\n');
}

/**
 * Those who have access as lines for people, or as JSON. The text may change between versions; programs read the data.
 *
 * @example
 * ```ts
 * import { findHolders, formatHolders } from 'arango-services/permissions';
 *
 * const state = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' } as const;
 * formatHolders(findHolders(state, { action: 'a:b', resource: '*' })); // No user has it.
 * ```
 */
export function formatHolders(found: AccessHolders, as: 'text' | 'json' = 'text'): string {
  if (as === 'json') return JSON.stringify(found);
  const lines = found.holders.map(({ user, role, because }) => {
    const head =
      user === undefined ? `requests that name the role ${JSON.stringify(role)}` : `user ${JSON.stringify(user)}`;
    return [head, ...new Set(because.map((reason) => `by ${formatReason(reason)}`))].map(printable).join('\n    ');
  });
  return [...(lines.length > 0 ? lines : ['No user has it.']), ...noteOf(found.known)].join('\n');
}
