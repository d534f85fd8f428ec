import { findStaleResources, plan } from '../../permissions/index.js';
import { exitCodes } from '../exit-codes.js';
import type { Run } from './context.js';
import { printPlan, warn } from './output.js';
import { readFiles } from './read-files.js';

const everything = { policies: ['*'], roles: ['*'], users: ['*'] };

/** `permissions diff <before> <after>`: the changes from one file to another. */
export const diff: Run = async ({ flags, operands, surroundings }) => {
  // There are two: the arguments were counted.
  const [before = '', after = ''] = operands;
  const [current, desired] = [await readFiles(before, flags), await readFiles(after, flags)];
  // A file is a whole state: it has the bindings of all users that it knows.
  const found = plan({ ...current, users: 'all' }, desired, {
    prune: true,
    manage: everything,
    fidelity: flags.fidelity,
  });
  // Nothing is applied, so there is no state on the way.
  printPlan({ ...found, meanwhile: { gained: [], lost: [] } }, flags, surroundings);
  for (const { file, line, column, message } of findStaleResources(current, desired)) {
    warn(surroundings, `${file}:${line}:${column}: ${message}`);
  }
  const count = found.changes.length + found.kept.length + found.operator.changes.length;
  return count > 0 ? exitCodes.changes : exitCodes.done;
};
