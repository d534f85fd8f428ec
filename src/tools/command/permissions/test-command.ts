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
  type TestOptions,
} from '../../../permissions/index.js';
import type { Context, RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { type FlagsOf, readOptions } from '../shared/flag-options.js';
import { print } from '../shared/output.js';
import { defaultFile, fileProblem, readFiles } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import { notWritten } from './write-file.js';

/** The files of tests beside a file of permissions. */
async function findTests(file: string): Promise<readonly string[]> {
  const folder = dirname(file);
  const names = await readdir(folder).catch((error: unknown) => {
    throw fileProblem(folder, error);
  });
  const testNames = names.filter((name) => name.endsWith('.test.yaml')).sort();
  if (testNames.length > 0) return testNames.map((name) => join(folder, name));
  throw new UsageError({ where: 'arguments', message: `there is no *.test.yaml beside ${file}; name the files` });
}

/** Reads files of tests, and reports the issues of all of them. */
async function readAll(names: readonly string[], { inputs }: Context): Promise<readonly PermissionTests[]> {
  const issues: PermissionsIssue[] = [];
  const tests: PermissionTests[] = [];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new UsageError({ where: '[files…]', message: `${twice} is given twice` });
  for (const name of names) {
    const { file, read } = inputs.permissions('[files…]', name);
    try {
      tests.push(await readTests(file, { read }));
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

/** The flags of the options of `runTests`. */
const testFlags = { fidelity: 'fidelity', maxWork: 'max-work' } as const satisfies FlagsOf<TestOptions>;

/** `permissions test`: runs the tests of a file of permissions. */
export const test: RunSubcommand = async (context) => {
  const { flags, operands, surroundings } = context;
  const { file = defaultFile, junit, lcov } = flags;
  const permissions = await readFiles(context, file);
  const tests = await readAll(operands.length > 0 ? operands : await findTests(file), context);
  const report = runTests(permissions, tests, readOptions(flags, testFlags));
  await writeReport(junit, () => formatTests(report, 'junit'));
  await writeReport(lcov, () => formatCoverage(report.coverage, 'lcov'));
  print(surroundings, formatTests(report, flags.json ? 'json' : 'text'));
  if (flags.coverage && !flags.json) print(surroundings, `\n${formatCoverage(report.coverage)}`);
  return report.passed ? exitCodes.done : exitCodes.failed;
};
