import { stripVTControlCharacters } from 'node:util';

/** The lines in which tests, compilers and the scripts of this repository say what failed. */
const failing = /^\s*(?:FAIL\b|✗|✖|not ok\b|\w*Error\b[^:]*:)|\berror TS\d+:/;

/** The last lines of an output stand for it if none looks like a failure. */
const lastLines = 10;

/** The lines of an output that say what failed, without colors and repetitions: at most `most`, then their number. */
export function failingLines(output: string, most = 60): string[] {
  const lines = stripVTControlCharacters(output).split('\n');
  const found = [...new Set(lines.filter((line) => failing.test(line)).map((line) => line.trim()))];
  if (found.length === 0) return lines.filter((line) => line.trim() !== '').slice(-lastLines);
  const rest = found.length - most;
  return rest > 0 ? [...found.slice(0, most), `… and ${rest} lines more`] : found;
}
