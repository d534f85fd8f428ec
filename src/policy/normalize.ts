import { byCodePoint } from '../lib/code-points.js';
import type { Policy, Role, Statement } from './model.js';

/** A statement with all of its fields. */
export interface NormalStatement extends Statement {
  readonly description: string;
}

/** A policy with all of its fields, as the services answer it. */
export interface NormalPolicy extends Policy {
  readonly statements: readonly NormalStatement[];
  readonly description: string;
}

/** A list as the services store it: sorted by code point, each text once. */
export const sortedUnique = (texts: readonly string[] | undefined): string[] => [...new Set(texts)].sort(byCodePoint);

/**
 * The form in which the services store and answer a policy: actions and resources sorted by code point and each once,
 * and descriptions empty where there are none. Statements keep their order. An effect that is not Allow is a Deny. The
 * policy that is passed in is not changed.
 *
 * @example
 * ```ts
 * import { normalizePolicy } from 'arango-services/policy';
 *
 * normalizePolicy({ statements: [{ effect: 'Allow', actions: ['b:c', 'a:b', 'a:b'], resources: ['*'] }] });
 * // { statements: [{ effect: 'Allow', resources: ['*'], actions: ['a:b', 'b:c'], description: '' }], description: '' }
 * ```
 */
export function normalizePolicy({ statements, description }: Policy): NormalPolicy {
  return {
    statements: statements.map(({ effect, actions, resources, description }) => ({
      effect: effect === 'Allow' ? effect : 'Deny',
      resources: sortedUnique(resources),
      actions: sortedUnique(actions),
      description: description ?? '',
    })),
    description: description ?? '',
  };
}

/** A list without its order and its duplicates, as a text. */
const textOfSet = (texts: readonly string[]): string => JSON.stringify([...new Set(texts)].sort());

/** A canonical form, the same for equal policies. */
const textOfPolicy = ({ statements, description }: Policy): string =>
  textOfSet(
    statements.map(({ effect, actions, resources, description }) =>
      JSON.stringify([effect === 'Allow', textOfSet(actions), textOfSet(resources), description ?? '']),
    ),
  ) + (description ?? '');

/**
 * Compares two policies, or two scopes: true for equal statements and descriptions. The order of statements,
 * actions and resources does not count, nor do duplicates; a missing description is an empty one. A missing scope
 * equals only a missing one: an empty one allows nothing.
 *
 * @example
 * ```ts
 * import { samePolicy } from 'arango-services/policy';
 *
 * const statement = { effect: 'Allow', actions: ['orders:read'], resources: ['*'] } as const;
 * samePolicy({ statements: [statement] }, { statements: [statement, statement], description: '' }); // true
 * samePolicy(undefined, { statements: [] }); // false
 * ```
 */
export function samePolicy(a: Policy | null | undefined, b: Policy | null | undefined): boolean {
  return a && b ? textOfPolicy(a) === textOfPolicy(b) : !a && !b;
}

/** Compares two roles: true for equal policies, scopes and descriptions, compared as `samePolicy` does. */
export function sameRole(a: Role, b: Role): boolean {
  const textOf = ({ policies, description }: Role) => textOfSet(policies) + (description ?? '');
  return textOf(a) === textOf(b) && samePolicy(a.scope, b.scope);
}
