import { stateOf } from '../../permissions/model/permissions-state.js';
import type { Evaluator } from '../../policy/index.js';
import type { Exported } from '../api.js';

/** Writes policies, roles and bindings as a file of permissions. It has no place for passwords and keys. */
export async function exportPermissionsFile(evaluator: Evaluator): Promise<Exported> {
  const { exportPermissions } = await import('../../permissions/files/export-permissions.js');
  const { text, omitted } = exportPermissions(stateOf(evaluator));
  const notes = omitted.length === 0 ? [] : [`${omitted.length} items are left out; the head of the file says why.`];
  return { fileName: 'permissions.yaml', mediaType: 'application/yaml', text, notes };
}
