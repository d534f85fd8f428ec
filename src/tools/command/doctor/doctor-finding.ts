/** A finding of `arango-services doctor`. */
export interface DoctorFinding {
  /** The subject, like `token` or `clock`. */
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'failure';
  /** The facts. */
  readonly message: string;
  /** The next step; none if all is well. */
  readonly next?: string;
}

export const ok = (check: string, message: string): DoctorFinding => ({ check, level: 'ok', message });
const findingOf =
  (level: DoctorFinding['level']) =>
  (check: string, message: string, next: string): DoctorFinding => ({ check, level, message, next });
export const warning = findingOf('warning');
export const failure = findingOf('failure');

const marks = { ok: 'ok     ', warning: 'WARNING', failure: 'FAILED ' } as const;

/** The page of findings: a line each, and below it the next step. */
export function formatFindings(findings: readonly DoctorFinding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .flatMap(({ check, level, message, next }) => [
      `${marks[level]}  ${check.padEnd(width)}  ${message}`,
      ...(next === undefined ? [] : [`${' '.repeat(width + 11)}→ ${next}`]),
    ])
    .join('\n');
}
