import { join } from 'node:path';
import { exec } from './exec.ts';
import { reportNotTried } from './not-tried.ts';

/**
 * Makes a virtual environment with packages (pip's arguments) and returns its Python. Without Python or a package it
 * prints that `tests` did not run, and why, and fails in CI.
 */
export async function makeVenv(
  folder: string,
  tests: string,
  packages: readonly string[],
): Promise<string | undefined> {
  const venv = await exec('python3', ['-m', 'venv', folder]);
  const python = join(folder, 'bin/python');
  const installed = venv.ok ? await exec(python, ['-m', 'pip', 'install', '--quiet', ...packages]) : venv;
  if (installed.ok) return python;
  reportNotTried(`NOT TRIED: ${tests}, because Python or its packages are missing.`);
  console.error(installed.output.slice(-1_000));
  return undefined;
}
