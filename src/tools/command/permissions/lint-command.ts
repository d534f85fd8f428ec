import { formatHold } from '../../../permissions/holds/hold.js';
import { type FileFinding, formatFindings, holdsAt, lintPermissions } from '../../../permissions/index.js';
import { catalog } from '../../../policy/analysis/index.js';
import { PolicyError } from '../../../policy/index.js';
import type { RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import type { Flags } from '../shared/flags.js';
import { print } from '../shared/output.js';
import { defaultFile, reading } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import { readAllHolds } from './holds-file.js';

const refuseRules = (error: unknown): never => {
  if (!(error instanceof PolicyError)) throw error;
  throw new UsageError(...error.issues.map(({ message }) => ({ where: '--off', message })));
};

const endedHold = 'ended-hold';

/** The holds that have ended: the next plan gives what they held. */
async function endedHolds(flags: Flags): Promise<FileFinding[]> {
  const holds = await readAllHolds(flags);
  const inForce = new Set(holdsAt(holds));
  return holds.flatMap((hold) => {
    if (inForce.has(hold)) return [];
    const { file, line, column } = hold;
    const message = `this hold has ended (${formatHold(hold)}): plans give what it held; remove it, or change the file`;
    return [{ file, line, column, rule: endedHold, message }];
  });
}

/** `permissions lint`: mistakes in the file, by line and column. */
export const lint: RunSubcommand = async ({ flags, inputs, surroundings }) => {
  const { off = [], deployment, platform } = flags;
  const rules = Object.fromEntries(off.filter((rule) => rule !== endedHold).map((rule) => [rule, 'off'] as const));
  const { file, ...access } = inputs.permissions('--file', flags.file ?? defaultFile);
  const mistakes = await reading(
    file,
    lintPermissions(file, { ...access, catalog: catalog.database, rules, deployment, platform }).catch(refuseRules),
  );
  const findings = [...mistakes, ...(off.includes(endedHold) ? [] : await endedHolds(flags))];
  print(surroundings, formatFindings(findings, flags.json ? 'json' : 'text'));
  return findings.length > 0 ? exitCodes.changes : exitCodes.done;
};
