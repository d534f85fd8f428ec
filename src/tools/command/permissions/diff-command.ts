import { findStaleResources, plan } from '../../../permissions/index.js';
import type { RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { warn } from '../shared/output.js';
import { readFiles } from '../shared/read-files.js';
import { isEventful } from './make-plan.js';
import { printPlan } from './print-plan.js';

/** `permissions diff <before> <after>`: the changes from one file to another. */
export const diff: RunSubcommand = async (context) => {
  const { flags, operands, surroundings } = context;
  // Both are there: the number of arguments was checked.
  const [before = '', after = ''] = operands;
  const current = await readFiles(context, before, '<before>');
  const desired = await readFiles(context, after, '<after>');
  // A file is a whole state: it has the bindings of all users that it knows.
  const difference = plan({ ...current, users: 'all' }, desired, {
    prune: true,
    known: { users: current.users, groups: current.groups },
    fidelity: flags.fidelity,
    maxWork: flags['max-work'],
  });
  // Nothing is applied, so there is no state on the way.
  printPlan({ ...difference, prune: false, meanwhile: { gained: [], lost: [] } }, flags, surroundings);
  for (const { file, line, column, message } of findStaleResources(current, desired)) {
    warn(surroundings, `${file}:${line}:${column}: ${message}`);
  }
  const left = [...difference.kept, ...difference.unowned].filter(
    ({ kind }) => kind !== 'binding' || !flags['allow-orphans'],
  );
  return isEventful(difference, flags) || left.length > 0 ? exitCodes.changes : exitCodes.done;
};
