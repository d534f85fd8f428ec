import { describeNotCompared } from '../../analysis/not-compared.js';
import type { Evaluator } from '../../policy/index.js';
import type { FileComparison } from '../api.js';
import { stateOf } from './findings.js';
import { accessRows, maxWork } from './policy-views.js';

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

/**
 * Compares a state with a file of permissions. Loads the parser of files.
 * @param shown the name that the page shows.
 */
export async function compareFile(
  evaluator: Evaluator,
  file: string,
  access: FileAccess,
  shown: string | null,
): Promise<FileComparison> {
  const { readPermissions } = await import('../../permissions/files/read-permissions.js');
  const { plan } = await import('../../permissions/plan/plan.js');
  const { formatPlan } = await import('../../permissions/plan/format-plan.js');
  try {
    const desired = await readPermissions(file, access);
    const made = plan({ ...stateOf(evaluator), users: 'all' }, desired, { fidelity: evaluator.fidelity, maxWork });
    const { gained, lost } = made.access;
    // Any further line of the plan is worth showing, also changes left to the operator. Items that only the state has
    // are not a difference: an export omits items that a file cannot hold.
    const isSame = formatPlan({ ...made, unowned: [] }) === 'No changes.';
    const shownPlan = isSame ? '' : formatPlan(made);
    return {
      file: shown,
      problems: [],
      gained: accessRows('gained', gained),
      lost: accessRows('lost', lost),
      notCompared: describeNotCompared(made.access),
      plan: shownPlan,
    };
  } catch (error) {
    return { file: shown, problems: problemsOf(error), gained: [], lost: [], notCompared: '', plan: '' };
  }
}

/** Compares a state with the text of a permissions file, which cannot include files. */
export const compareText = (evaluator: Evaluator, text: string): Promise<FileComparison> =>
  compareFile(evaluator, 'permissions.yaml', { read: (file) => readOnly(file, text) }, null);

function readOnly(file: string, text: string): string {
  if (file === 'permissions.yaml') return text;
  throw new Error('a file that is dropped onto the page cannot include others');
}
