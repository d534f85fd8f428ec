import { formatFindings, lintPermissions } from '../../permissions/index.js';
import { PolicyError } from '../../policy/index.js';
import { exitCodes } from '../exit-codes.js';
import { UsageError } from '../usage-error.js';
import type { Run } from './context.js';
import { defaultFile } from './make-plan.js';
import { print } from './output.js';
import { fromDisk, reading } from './read-files.js';

const refuseRules = (error: unknown): never => {
  if (!(error instanceof PolicyError)) throw error;
  throw new UsageError(...error.issues.map(({ message }) => ({ where: '--off', message })));
};

/** `permissions lint`: mistakes in the file, by line and column. */
export const lint: Run = async ({ flags, surroundings }) => {
  const { file = defaultFile, off = [], deployment } = flags;
  const rules = Object.fromEntries(off.map((rule) => [rule, 'off'] as const));
  const findings = await reading(file, lintPermissions(file, { ...fromDisk, rules, deployment }).catch(refuseRules));
  print(surroundings, formatFindings(findings, flags.json ? 'json' : 'text'));
  return findings.length > 0 ? exitCodes.changes : exitCodes.done;
};
