import { type Evaluator, type Policy, PolicyError, validatePolicy, validateRole } from '../../policy/index.js';
import type { Edit, ManagementCall } from '../api.js';
import { ConsoleError } from '../console-error.js';

const base = '/_management/permissions';

const callKinds = {
  create: 'POST',
  update: 'PUT',
  delete: 'DELETE',
  assign: 'POST',
  replace: 'PUT',
  remove: 'DELETE',
} as const;

/** The call of the management API that makes an edit. */
export function callOf(edit: Edit): ManagementCall {
  const [verb = '', noun = ''] = edit.kind.split('-');
  // The cast: every kind begins with one of these words.
  const method = callKinds[verb as keyof typeof callKinds];
  if ('user' in edit) {
    return { method, path: `${base}/user/${encodeURIComponent(edit.user)}/role/${encodeURIComponent(edit.role)}` };
  }
  return { method, path: `${base}/${noun}/${encodeURIComponent(edit.name)}` };
}

/** The body of that call. */
export function bodyOf(edit: Edit): unknown {
  if ('policy' in edit) return { name: edit.name, item: edit.policy };
  if ('scope' in edit) return { user: edit.user, role: edit.role, scope: edit.scope };
  return 'role' in edit && 'name' in edit ? { name: edit.name, item: edit.role } : undefined;
}

/** Returns the current content of an edit's item; undefined if the item does not exist. */
export function contentOf(evaluator: Evaluator, edit: Edit): unknown {
  if ('user' in edit) {
    // The management API has no bindings without a scope.
    return evaluator.bindings(edit.user).find(({ user, role }) => user === edit.user && role === edit.role)?.scope;
  }
  return edit.kind.endsWith('policy') ? evaluator.policy(edit.name) : evaluator.role(edit.name);
}

/** Returns the content of the item after the edit. */
export function contentAfter(edit: Edit): unknown {
  if ('policy' in edit) return edit.policy;
  if ('scope' in edit) return edit.scope;
  return 'role' in edit && 'name' in edit ? edit.role : undefined;
}

/** Returns the edit that restores the former content. */
export function oppositeOf(edit: Edit, before: unknown): Edit {
  // The casts: the content is that of the item.
  if ('user' in edit) {
    const { user, role } = edit;
    if (before === undefined) return { kind: 'remove-role', user, role };
    const kind = edit.kind === 'remove-role' ? 'assign-role' : 'replace-scope';
    return { kind, user, role, scope: before as Policy };
  }
  const { name } = edit;
  const isPolicy = edit.kind.endsWith('policy');
  if (before === undefined) return { kind: isPolicy ? 'delete-policy' : 'delete-role', name };
  const verb = edit.kind.startsWith('delete') ? 'create' : 'update';
  return (
    isPolicy ? { kind: `${verb}-policy`, name, policy: before } : { kind: `${verb}-role`, name, role: before }
  ) as Edit;
}

const nounOf = (edit: Edit): string => ('user' in edit ? 'binding' : edit.kind.endsWith('policy') ? 'policy' : 'role');

/** @throws ConsoleError for an edit of an item that is missing, or that is there already. */
export function checkExistence(evaluator: Evaluator, edit: Edit): void {
  const isNew = edit.kind.startsWith('create') || edit.kind === 'assign-role';
  const isThere = contentOf(evaluator, edit) !== undefined;
  if (isNew && isThere) throw new ConsoleError('conflict', `this ${nounOf(edit)} exists already`, 'edit');
  if (!isNew && !isThere) throw new ConsoleError('not-found', `there is no such ${nounOf(edit)}`, 'edit');
}

/** @throws PolicyError for a content that is not valid, with the path of each issue. */
export function checkContent(edit: Edit): void {
  const check = (field: string, issues: ReturnType<typeof validatePolicy>) => {
    if (issues.length > 0) throw new PolicyError(issues.map((issue) => ({ ...issue, path: [field, ...issue.path] })));
  };
  if ('policy' in edit) check('policy', validatePolicy(edit.policy));
  else if ('scope' in edit) check('scope', validatePolicy(edit.scope));
  else if ('role' in edit && 'name' in edit) check('role', validateRole(edit.role));
}

export function applyEdit(evaluator: Evaluator, edit: Edit): void {
  if ('policy' in edit) evaluator.setPolicy(edit.name, edit.policy);
  else if ('scope' in edit) evaluator.setBinding({ user: edit.user, role: edit.role, scope: edit.scope });
  else if ('user' in edit) evaluator.deleteBinding(edit.user, edit.role);
  else if ('role' in edit) evaluator.setRole(edit.name, edit.role);
  else if (edit.kind === 'delete-policy') evaluator.deletePolicy(edit.name);
  else evaluator.deleteRole(edit.name);
}
