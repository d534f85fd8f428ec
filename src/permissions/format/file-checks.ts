import * as z from 'zod/mini';
import { acceptedFields, describeIssue } from '../../base/lib/describe-issue.js';
import { nearest } from '../../base/lib/nearest.js';
import type { IssuePath } from '../../base/lib/text/paths.js';
import { describeKind } from '../../base/lib/values.js';
import { byPlace, type PermissionsIssue } from '../model/permissions-error.js';
import { suggestion } from '../model/suggestion.js';
import type { ParsedFile } from './yaml.js';

interface ValueIssue {
  readonly path: IssuePath;
  readonly message: string;
  /** True if the issue is placed at the key instead of the value. */
  readonly atKey: boolean;
  /** The value that was refused. */
  readonly input: unknown;
  /** True for a field that the schema does not know. */
  readonly isUnknownField: boolean;
}

/** Stops at this many issues of a file. */
const mostIssues = 100;

const longestShown = 64;
const quoteName = (name: string) =>
  JSON.stringify(name.length > longestShown ? `${name.slice(0, longestShown)}…` : name);

/** Describes a word that is not accepted. Shows it only if it resembles an accepted one, as it may be a secret. */
function describeWord(accepted: readonly string[], input: unknown): string {
  const isNear = typeof input === 'string' && nearest(input, accepted) !== undefined;
  return `expected ${accepted.join(' or ')}, got ${isNear ? JSON.stringify(input) : describeKind(input)}`;
}

/** Words an issue; undefined if the schema has its own text. YAML takes `yes` and `1.0` for other kinds than text. */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_value') return describeWord(issue.values.map(String), issue.input);
  const message = describeIssue(issue);
  return issue.code === 'invalid_type' && issue.expected === 'string' ? `${message}; quote it` : message;
}

/** True for a path to a field that its object lacks. A field whose value could not be read is present, as undefined. */
function isMissing(value: unknown, path: IssuePath): boolean {
  let object = value;
  // The cast: schemas descend into objects and lists only.
  for (const key of path.slice(0, -1)) object = (object as Readonly<Record<string | number, unknown>>)[key];
  const name = path.at(-1);
  return name !== undefined && !Object.hasOwn(Object(object), name);
}

/** The issues of the form that was meant: the first of the right kind whose unknown fields look like its own. */
function meantOf({ errors }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] {
  const isOther = (issue: z.core.$ZodIssue) => issue.code === 'invalid_type' && issue.path.length === 0;
  const isForeign = (issue: z.core.$ZodIssue) =>
    issue.code === 'unrecognized_keys' && issue.keys.some((key) => suggestion(key, acceptedFields(issue)) === '');
  const kind = errors.filter((list) => !list.some(isOther));
  const meant = kind.find((list) => !list.some(isForeign)) ?? kind.at(-1) ?? errors.at(-1) ?? [];
  // With an unknown field, the rule about the fields of a request would only repeat it.
  const isUnknown = meant.some(({ code }) => code === 'unrecognized_keys');
  return meant.filter(({ code, path }) => !isUnknown || code !== 'custom' || path.length > 0);
}

/** Converts an issue of zod in `value`: one for each unknown field. `above` is the place of what the issue is about. */
function* readIssue(issue: z.core.$ZodIssue, value: unknown, above: IssuePath): Generator<ValueIssue> {
  // The cast: a file has texts and numbers as keys.
  const path = [...above, ...(issue.path as (string | number)[])];
  const usual = { path, message: issue.message, atKey: false, input: issue.input, isUnknownField: false };
  if (issue.input === undefined && isMissing(value, path)) {
    yield { ...usual, path: path.slice(0, -1), message: `the field ${JSON.stringify(path.at(-1))} is missing` };
  } else if (issue.code === 'unrecognized_keys') {
    const fields = acceptedFields(issue);
    for (const key of issue.keys) {
      const hint = suggestion(key, fields);
      const message = `unknown field ${quoteName(key)}${hint}; accepted are ${fields.join(', ')}`;
      yield { path: [...path, key], message, atKey: true, input: key, isUnknownField: true };
    }
  } else if (issue.code === 'invalid_union') {
    for (const below of meantOf(issue)) yield* readIssue(below, value, path);
  } else yield { ...usual, atKey: issue.code === 'custom' && issue.params?.atKey === true };
}

/** Finds the issues of a value, with paths inside it. */
export function findIssues(schema: z.ZodMiniType, value: unknown): readonly ValueIssue[] {
  const { error } = z.safeParse(schema, value, { error: describe, reportInput: true });
  return (error?.issues ?? []).flatMap((issue) => [...readIssue(issue, value, [])]);
}

/** A checked file: its issues, each with its place, and the paths of those of its values. */
interface CheckedFile {
  readonly issues: readonly PermissionsIssue[];
  readonly paths: readonly IssuePath[];
}

/** Finds the issues of a file. An empty file is valid. */
export function checkFile(parsed: ParsedFile, schema: z.ZodMiniType): CheckedFile {
  const issues = parsed.value === undefined || parsed.value === null ? [] : findIssues(schema, parsed.value);
  // A value that YAML could not read is also missing for the schema: only the parser's issue is reported.
  const places = new Set(parsed.issues.map(({ line, column }) => `${line}:${column}`));
  const schemaIssues = issues
    .map(({ path, message, atKey }) => parsed.issueAt(path, message, atKey))
    .sort(byPlace([parsed.file]))
    .slice(0, mostIssues)
    .filter(({ line, column }) => !places.has(`${line}:${column}`));
  return { issues: [...parsed.issues, ...schemaIssues], paths: issues.map(({ path }) => path) };
}
