import type { core } from 'zod/mini';
import { InvalidArgumentError, type SchemaIssue } from '../../errors.js';
import { unknownName } from '../../lib/unknown-name.js';
import { describeKind } from '../../lib/values.js';
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

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
};

/** The names of the fields that an object accepts. */
const fieldsOf = ({ inst }: core.$ZodRawIssue): string[] => Object.keys(Object(inst?._zod.def).shape);

/**
 * Describes what is accepted instead of a refused value; undefined if the schema has its own text. Never quotes the
 * value.
 */
export function describeIssue(issue: core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${kinds[issue.expected] ?? 'an object'}, got ${describeKind(issue.input)}`;
    case 'invalid_value':
      return `expected one of ${issue.values.join(', ')}, got ${describeKind(issue.input)}`;
    case 'unrecognized_keys':
      // `readIssue` makes a sentence of it for each of the keys.
      return fieldsOf(issue).join();
    default:
      return undefined;
  }
}

/** Converts an issue of zod: one for each unknown field, with its whole path. */
export function readIssue(issue: core.$ZodIssue): SchemaIssue[] {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [{ path, message }];
  return issue.keys.map((key) => ({ path: [...path, key], message: unknownName(key, message.split(',')) }));
}
