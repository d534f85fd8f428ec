import { findProgram, isProgram } from './find-program.ts';
import { reportNotTried } from './not-tried.ts';

/**
 * Finds CHROME_PATH if it is set, else Chromium on PATH or in Debian's location. Without one it prints that these tests
 * did not run, and fails in CI.
 */
export function findChromium(tests: string): string | undefined {
  const { CHROME_PATH } = process.env;
  const named = CHROME_PATH && isProgram(CHROME_PATH) ? CHROME_PATH : undefined;
  const chromium = CHROME_PATH ? named : findProgram('chromium');
  if (chromium !== undefined) return chromium;
  const where = CHROME_PATH ? 'CHROME_PATH names no program' : 'no chromium on PATH, CHROME_PATH is not set';
  const advice = 'Install Chromium (apt-get install chromium) or set CHROME_PATH.';
  reportNotTried(`${tests} DID NOT RUN: ${where}.`, advice);
  return undefined;
}
