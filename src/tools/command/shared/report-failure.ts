import { isHttpError } from '../../../base/error-guards.js';
import { InvalidArgumentError } from '../../../base/errors.js';
import { systemCode } from '../../../base/lib/system-errors.js';
import { printable } from '../../../base/lib/text/printable.js';
import { ApplyError, PermissionsError } from '../../../permissions/index.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { HintedError } from './hinted-error.js';
import { print, warn } from './output.js';
import type { Surroundings } from './surroundings.js';
import { UsageError } from './usage-error.js';

/** A failure as the command prints it: a code for programs, lines for people, and the exit code. */
interface Failure {
  readonly code: string;
  readonly lines: readonly string[];
  /** The last line: what is missing, or the command that goes on. */
  readonly hint?: string;
  readonly exit: ExitCode;
}

function describe(error: unknown, surroundings: Surroundings): Failure {
  const { signal } = surroundings;
  if (error instanceof HintedError) {
    const failure = describe(error.cause, surroundings);
    return { ...failure, hint: error.hint };
  }
  if (signal.aborted && !(error instanceof ApplyError)) {
    // Only apply writes, and its errors say what it wrote.
    const name = signal.reason instanceof Error ? signal.reason.message : 'a signal';
    const lines = [`stopped by ${name}; nothing was written to the deployment`];
    return { code: 'ABORTED', lines, exit: exitCodes.failed };
  }
  if (error instanceof UsageError) {
    const lines = error.problems.map(({ where, message }) => `${where}: ${message}`);
    return { code: 'USAGE', lines, exit: exitCodes.usage };
  }
  if (error instanceof PermissionsError && error.issues.length > 0) {
    const lines = error.issues.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
    return { code: error.code, lines, exit: exitCodes.usage };
  }
  if (error instanceof InvalidArgumentError) {
    return { code: error.code, lines: [`${error.field}: ${error.problem}`], exit: exitCodes.usage };
  }
  const accepted = isHttpError(error) && error.status === 401 ? '; see --token-file and --user' : '';
  const message = error instanceof Error ? error.message : 'failed';
  return { code: systemCode(error) ?? 'FAILED', lines: [`${message}${accepted}`], exit: exitCodes.failed };
}

/**
 * Prints an error, and chooses the exit code.
 * @param json true to print it as JSON on stdout, too.
 */
export function report(error: unknown, surroundings: Surroundings, json = false): ExitCode {
  const { code, lines, hint, exit } = describe(error, surroundings);
  for (const line of [...lines, ...(hint === undefined ? [] : [hint])]) warn(surroundings, line);
  const message = lines.map(printable).join('\n');
  if (json) print(surroundings, JSON.stringify({ error: { code, message, hint: hint && printable(hint) } }));
  return exit;
}
