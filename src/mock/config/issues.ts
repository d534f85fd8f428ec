import type { core } from 'zod/mini';
import { InvalidArgumentError, type SchemaIssue } from '../../base/errors.js';
import { acceptedFields } from '../../base/lib/describe-issue.js';
import { unknownName } from '../../base/lib/unknown-name.js';
import { formatPath } from '../../policy/index.js';

/**
 * An invalid configuration. Code `INVALID_ARGUMENT`. The message has a line for each issue, and `issues` has them as
 * data.
 */
export class ConfigurationError extends InvalidArgumentError {
  readonly issues: readonly SchemaIssue[];

  constructor(issues: readonly SchemaIssue[]) {
    const lines = issues.map(({ path, message }) => `${formatConfigPath(path)}: ${message}`);
    const first = issues[0];
    super(formatConfigPath(first?.path ?? []), [first?.message ?? 'is not valid', ...lines.slice(1)].join('\n'));
    this.issues = issues;
  }
}

/** Formats a path like `policies.read-only.statements[0].effect`. The empty path is `configuration`. */
export function formatConfigPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'configuration';
  return formatPath(path.map((key) => (typeof key === 'number' ? key : String(key))));
}

/** Converts an issue of zod: one for each unknown field, with its whole path. */
export function readIssue(issue: core.$ZodIssue): SchemaIssue[] {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [{ path, message }];
  return issue.keys.map((key) => ({ path: [...path, key], message: unknownName(key, acceptedFields(issue)) }));
}
