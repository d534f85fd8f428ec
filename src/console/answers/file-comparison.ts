import type { Plan } from '../../permissions/index.js';
import { stateOf } from '../../permissions/model/permissions-state.js';
import { describeNotCompared } from '../../policy/analysis/not-compared.js';
import type { Evaluator } from '../../policy/index.js';
import type { FileComparison, FileState } from '../api.js';
import { accessRows, maxWork, toPermissions } from './policy-views.js';

/** Reads a permissions file and the files that it includes. */
export interface FileAccess {
  readonly read: (file: string) => string | Uint8Array | Promise<string | Uint8Array>;
  readonly realPath?: ((file: string) => string | Promise<string>) | undefined;
}

/** The issues of a file that is not valid, each with its place. */
function problemsOf(error: unknown): FileComparison['problems'] {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'PERMISSIONS') throw error;
  // The cast: errors with this code have issues of this form.
  const issues =
    'issues' in error ? (error.issues as { file: string; line: number; column: number; message: string }[]) : [];
  if (issues.length === 0) return [{ place: '', message: error.message }];
  return issues.map(({ file, line, column, message }) => ({ place: `${file}:${line}:${column}`, message }));
}

/** Reads a file of permissions, and plans its changes of a state. Loads the parser of files. */
async function planFile(evaluator: Evaluator, file: string, access: FileAccess): Promise<Plan> {
  const { readPermissions } = await import('../../permissions/files/read-permissions.js');
  const { plan } = await import('../../permissions/plan/plan.js');
  const desired = await readPermissions(file, access);
  return plan(stateOf(evaluator), desired, { fidelity: evaluator.fidelity, maxWork });
}

/**
 * Compares a state with a file of permissions.
 * @param name the name that the page shows.
 */
export async function compareFile(
  evaluator: Evaluator,
  file: string,
  access: FileAccess,
  name: string | null,
): Promise<FileComparison> {
  const { formatItems, formatPlan } = await import('../../permissions/plan/format-plan.js');
  try {
    const made = await planFile(evaluator, file, access);
    const { gained, lost } = made.access;
    // Any further line of the plan is worth showing, also changes left to the operator. Items that only the state has
    // are not a difference: an export omits items that a file cannot hold.
    const isSame = formatPlan({ ...made, unowned: [] }) === 'No changes.';
    return {
      file: name,
      problems: [],
      gained: accessRows('gained', gained),
      lost: accessRows('lost', lost),
      notCompared: describeNotCompared(made.access),
      plan: isSame ? '' : formatItems(made),
    };
  } catch (error) {
    return { file: name, problems: problemsOf(error), gained: [], lost: [], notCompared: '', plan: '' };
  }
}

/** Returns the permissions that a state would have if a file were applied, without changes left to the operator. */
export async function stateWithFile(
  evaluator: Evaluator,
  file: string,
  access: FileAccess,
  name: string | null,
): Promise<FileState> {
  const { write } = await import('../../permissions/plan/effects.js');
  try {
    const { changes } = await planFile(evaluator, file, access);
    const after = evaluator.clone();
    for (const change of changes) write(after, change, change.after);
    return { file: name, problems: [], state: toPermissions(after) };
  } catch (error) {
    return { file: name, problems: problemsOf(error), state: null };
  }
}

/** The name of a text in messages. */
const textName = 'permissions.yaml';

/** The access to a text, which cannot include files. */
const accessTo = (text: string): FileAccess => ({
  read(file) {
    if (file === textName) return text;
    throw new Error('a file that is dropped onto the page cannot include others');
  },
});

/** Compares a state with the text of a permissions file, which cannot include files. */
export const compareText = (evaluator: Evaluator, text: string): Promise<FileComparison> =>
  compareFile(evaluator, textName, accessTo(text), null);

/** Returns the permissions that a state would have if the text of a file were applied. */
export const stateWithText = (evaluator: Evaluator, text: string): Promise<FileState> =>
  stateWithFile(evaluator, textName, accessTo(text), null);
