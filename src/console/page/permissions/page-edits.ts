import type { Edit } from '../../api.js';
import { tidy } from './statements.js';

/** An edit in a few words. */
export function titleOf(edit: Edit): string {
  switch (edit.kind) {
    case 'create-policy':
      return edit.name === '' ? 'New policy' : `New policy ${edit.name}`;
    case 'update-policy':
      return `Change policy ${edit.name}`;
    case 'delete-policy':
      return `Delete policy ${edit.name}`;
    case 'create-role':
      return edit.name === '' ? 'New role' : `New role ${edit.name}`;
    case 'update-role':
      return `Change role ${edit.name}`;
    case 'delete-role':
      return `Delete role ${edit.name}`;
    case 'assign-role':
      return edit.user === '' ? 'New binding' : `Bind ${edit.user} to ${edit.role}`;
    case 'replace-scope':
      return `Change the scope of ${edit.user} in ${edit.role}`;
    case 'remove-role':
      return `Remove ${edit.user} from ${edit.role}`;
  }
}

/** The item of an edit in a few words. */
export function nameOf(edit: Edit): string {
  if ('user' in edit) return `${edit.user} in role ${edit.role}`;
  return `${edit.kind.endsWith('policy') ? 'Policy' : 'Role'} ${edit.name}`;
}

/** True if the edit's names are filled in. */
export const canBeSent = (edit: Edit): boolean =>
  'user' in edit ? edit.user !== '' && edit.role !== '' : edit.name !== '';

/** Returns the edit that deletes the same item. */
export function deletionOf(edit: Edit): Edit {
  if ('user' in edit) return { kind: 'remove-role', user: edit.user, role: edit.role };
  return { kind: edit.kind.endsWith('policy') ? 'delete-policy' : 'delete-role', name: edit.name };
}

/** Trims the names and removes the empty lines that typing leaves. */
export function tidyEdit(edit: Edit): Edit {
  if ('policy' in edit) return { ...edit, name: edit.name.trim(), policy: tidy(edit.policy) };
  if ('scope' in edit) return { ...edit, user: edit.user.trim(), scope: tidy(edit.scope) };
  if ('role' in edit && 'name' in edit) return { ...edit, name: edit.name.trim() };
  return edit;
}
