import type { EvaluatorSubject } from '../../../policy/index.js';
import type { ConsoleState, Edit } from '../../api.js';
import type { PageAddress } from '../fragment.js';
import { emptyPolicy, everything } from './statements.js';

/** A row of the matrix: a user, or a group. */
export interface Named {
  readonly name: string;
  readonly subject: EvaluatorSubject;
}

/** The content of the open dialog. */
export type Opened =
  | ({ readonly kind: 'cell'; readonly action: string; readonly resource: string } & Named)
  | ({ readonly kind: 'grants' } & Named)
  /** The initial edit; with `isNew` its name can be typed. */
  | { readonly kind: 'edit'; readonly edit: Edit; readonly isNew: boolean };

/**
 * The policy, role or binding that the address names, as an edit; undefined if it names none. An item that does not
 * exist is opened as a new one.
 */
export function linkedItem(
  { policy, role, user }: PageAddress['filters'],
  state: ConsoleState,
): Extract<Opened, { kind: 'edit' }> | undefined {
  if (policy) {
    const content = state.policies.find(({ name }) => name === policy)?.policy;
    const kind = content ? 'update-policy' : 'create-policy';
    return { kind: 'edit', edit: { kind, name: policy, policy: content ?? emptyPolicy }, isNew: !content };
  }
  if (!role) return undefined;
  if (user) {
    const binding = state.bindings.find((binding) => binding.user === user && binding.role === role);
    const kind = binding ? 'replace-scope' : 'assign-role';
    return { kind: 'edit', edit: { kind, user, role, scope: binding?.scope ?? everything }, isNew: !binding };
  }
  const content = state.roles.find(({ name }) => name === role)?.role;
  const kind = content ? 'update-role' : 'create-role';
  return { kind: 'edit', edit: { kind, name: role, role: content ?? { policies: [] } }, isNew: !content };
}
