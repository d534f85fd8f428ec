import { execFileSync } from 'node:child_process';

/**
 * The files that differ from a commit, and new ones of src and test. A renamed file counts with both names, since
 * others may still import the old one.
 */
export function changedFiles(folder: string, commit: string): string[] {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).split('\n');
  return [
    ...git('diff', '--name-only', '--no-renames', commit),
    ...git('ls-files', '--others', '--exclude-standard', 'src', 'test'),
  ].filter(Boolean);
}

/** True for code that tests reach through imports, and not by the settings of Vitest, as its setup files. */
export const isImported = (file: string, settings: string): boolean =>
  /^(?:src|test)\/.*\.tsx?$/.test(file) && !settings.includes(file);
