import { formatFindings, lintPermissions } from '../../../permissions/index.js';
import { catalog } from '../../../policy/analysis/index.js';
import { PolicyError } from '../../../policy/index.js';
import type { Run } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { reading } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import { defaultFile } from './make-plan.js';

const refuseRules = (error: unknown): never => {
  if (!(error instanceof PolicyError)) throw error;
  throw new UsageError(...error.issues.map(({ message }) => ({ where: '--off', message })));
};

/** `permissions lint`: mistakes in the file, by line and column. */
export const lint: Run = async ({ flags, inputs, surroundings }) => {
  const { off = [], deployment } = flags;
  const rules = Object.fromEntries(off.map((rule) => [rule, 'off'] as const));
  const { file, ...access } = inputs.permissions('--file', flags.file ?? defaultFile);
  const findings = await reading(
    file,
    lintPermissions(file, { ...access, catalog: catalog.database, rules, deployment }).catch(refuseRules),
  );
  print(surroundings, formatFindings(findings, flags.json ? 'json' : 'text'));
  return findings.length > 0 ? exitCodes.changes : exitCodes.done;
};
