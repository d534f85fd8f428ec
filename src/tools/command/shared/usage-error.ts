/** A problem for the user to fix; `where` is its flag, variable, or file. */
export type UsageProblem = { readonly where: string; readonly message: string };

/** Wrong flags, or a file that cannot be read: exit code 64. */
export class UsageError extends Error {
  readonly problems: readonly UsageProblem[];

  constructor(...problems: readonly UsageProblem[]) {
    super(problems.map(({ where, message }) => `${where}: ${message}`).join('\n'));
    this.name = 'UsageError';
    this.problems = problems;
  }
}
