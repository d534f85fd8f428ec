import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  formatCoverage,
  formatTests,
  PermissionsError,
  type PermissionsIssue,
  type PermissionTests,
  readTests,
  runTests,
} from '../../permissions/index.js';
import { exitCodes } from '../exit-codes.js';
import { UsageError } from '../usage-error.js';
import type { Run } from './context.js';
import { defaultFile } from './make-plan.js';
import { print } from './output.js';
import { fileProblem, readFiles, readLimited } from './read-files.js';
import { notWritten } from './write-file.js';

/** The files of tests beside a file of permissions. */
async function findTests(file: string): Promise<readonly string[]> {
  const folder = dirname(file);
  const names = await readdir(folder).catch((error: unknown) => {
    throw fileProblem(folder, error);
  });
  const found = names.filter((name) => name.endsWith('.test.yaml')).sort();
  if (found.length > 0) return found.map((name) => join(folder, name));
  throw new UsageError({ where: 'arguments', message: `there is no *.test.yaml beside ${file}; name the files` });
}

/** Reads files of tests, and reports the issues of all of them. */
async function readAll(files: readonly string[]): Promise<readonly PermissionTests[]> {
  const issues: PermissionsIssue[] = [];
  const tests: PermissionTests[] = [];
  for (const file of files) {
    try {
      tests.push(await readTests(file, { read: readLimited }));
    } catch (error) {
      if (!(error instanceof PermissionsError) || error.issues.length === 0) throw fileProblem(file, error);
      issues.push(...error.issues);
    }
  }
  if (issues.length > 0) throw new PermissionsError(issues);
  return tests;
}

async function writeReport(file: string | undefined, text: () => string): Promise<void> {
  if (file === undefined) return;
  try {
    await writeFile(file, text());
  } catch (error) {
    throw notWritten(file, error);
  }
}

/** `permissions test`: runs the tests of a file of permissions. */
export const test: Run = async ({ flags, operands, surroundings }) => {
  const { file = defaultFile, fidelity, junit, lcov } = flags;
  const permissions = await readFiles(file, flags);
  const tests = await readAll(operands.length > 0 ? operands : await findTests(file));
  const report = runTests(permissions, tests, { fidelity });
  await writeReport(junit, () => formatTests(report, 'junit'));
  await writeReport(lcov, () => formatCoverage(report.coverage, 'lcov'));
  print(surroundings, formatTests(report, flags.json ? 'json' : 'text'));
  if (flags.coverage && !flags.json) print(surroundings, `\n${formatCoverage(report.coverage)}`);
  return report.passed ? exitCodes.done : exitCodes.failed;
};
