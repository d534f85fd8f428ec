import { byCodePoint } from '../../base/lib/code-points.js';
import type { Policy, Role, Statement } from './model.js';

/** A statement with all of its fields. */
export interface NormalStatement extends Statement {
  readonly description: string;
}

/** A policy with all of its fields, as returned by the services. */
export interface NormalPolicy extends Policy {
  readonly statements: readonly NormalStatement[];
  readonly description: string;
}

/** Normalizes a list as the services do: sorted by code point, without duplicates. */
export const sortedUnique = (texts: readonly string[] | undefined): string[] => [...new Set(texts)].sort(byCodePoint);

/**
 * Returns a policy as the services store and return it: actions and resources sorted by code point without duplicates,
 * and missing descriptions empty. Statements keep their order. An effect other than Allow becomes Deny. The argument is
 * not changed.
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

/** A policy as a file has it: without empty descriptions. */
export const compactPolicy = ({ statements, description }: Policy): Policy => ({
  ...(description && { description }),
  statements: statements.map(({ effect, actions, resources, description }) => ({
    effect,
    actions,
    resources,
    ...(description && { description }),
  })),
});

/** A text that is equal for lists with the same elements, regardless of order and duplicates. */
const textOfSet = (texts: readonly string[]): string => JSON.stringify([...new Set(texts)].sort());

/** A text that is equal for equal policies. */
export const textOfPolicy = ({ statements, description }: Policy): string =>
  textOfSet(
    statements.map(({ effect, actions, resources, description }) =>
      JSON.stringify([effect === 'Allow', textOfSet(actions), textOfSet(resources), description ?? '']),
    ),
  ) + (description ?? '');

/**
 * True if two policies or scopes have equal statements and descriptions. The order and duplicates of statements,
 * actions and resources do not matter; a missing description equals an empty one. A missing scope equals only another
 * missing scope, not an empty one, which allows nothing.
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

/** A text that is equal for equal roles, without their scopes. */
export const textOfRole = ({ policies, description }: Role): string => textOfSet(policies) + (description ?? '');

/** True if two roles have equal policies, scopes and descriptions, compared as in `samePolicy`. */
export function sameRole(a: Role, b: Role): boolean {
  return textOfRole(a) === textOfRole(b) && samePolicy(a.scope, b.scope);
}
