import { findExcess, formatExcess, readAllowances } from '../../../permissions/access/find-grants.js';
import type { RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { fileProblem } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import { readAsked } from './ask-command.js';
import { readKnownOwners } from './owners-command.js';

/** The most bytes of a file of allowances. */
const mostBytes = 10_000_000;

/** `permissions excess --allow <file>`: those who may do more than a list allows. */
export const excess: RunSubcommand = async (context) => {
  const { flags, inputs, surroundings } = context;
  const { allow } = flags;
  if (allow === undefined) throw new UsageError({ where: '--allow', message: 'is missing: expected a file' });
  const content = await inputs.read('--allow', allow, mostBytes).catch((error) => {
    throw fileProblem('--allow', error);
  });
  const allowed = readAllowances(allow, content);
  const report = findExcess(await readAsked(context, () => readKnownOwners(context)), allowed, flags.fidelity);
  print(surroundings, flags.json ? JSON.stringify(report) : formatExcess(report));
  return report.excess.length > 0 ? exitCodes.changes : exitCodes.done;
};
