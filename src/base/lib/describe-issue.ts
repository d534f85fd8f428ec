import type { core } from 'zod/mini';
import { describeKind } from './values.js';

const kinds: Readonly<Record<string, string>> = { string: 'a string', boolean: 'true or false', array: 'a list' };

/** The names of the fields that an object accepts. */
const fieldsOf = ({ inst }: core.$ZodRawIssue): string[] => Object.keys(Object(inst?._zod.def).shape);

/**
 * Describes what is accepted instead of a value that a schema of zod refuses; undefined if the schema has its own text.
 * Never quotes the value. For unknown fields it is a list of the accepted ones, see {@link acceptedFields}.
 */
export function describeIssue(issue: core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${kinds[issue.expected] ?? 'an object'}, got ${describeKind(issue.input)}`;
    case 'invalid_value':
      return `expected one of ${issue.values.join(', ')}, got ${describeKind(issue.input)}`;
    case 'unrecognized_keys':
      return fieldsOf(issue).join();
    default:
      return undefined;
  }
}

/** The fields that an object accepts, from an issue of unknown fields as `describeIssue` words it. */
export const acceptedFields = ({ message }: core.$ZodIssueUnrecognizedKeys): string[] => message.split(',');
