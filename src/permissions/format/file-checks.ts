import { type Path, Reading, type ReadingIssue } from '../../lib/reading.js';
import { isObject, wrongKind } from '../../lib/values.js';
import { actionFault, resourceFault } from '../../policy/model/pattern.js';
import type { PermissionsIssue } from '../model/error.js';
import { nameFault } from '../model/names.js';
import { suggestion } from '../model/suggestion.js';
import { describeFile, type FileBuilder } from './file-schema.js';
import type { ParsedFile } from './yaml.js';

/** An issue; `atKey` places it at the key instead of the value. */
export interface FileIssue extends ReadingIssue {
  readonly atKey?: boolean;
  /** True for a trap: the file is accepted. */
  readonly isFinding?: boolean;
}

/** A check of a value of a file. */
export type Check = (value: unknown, reading: Reading<FileIssue>) => void;

/** Stops at this many issues of a file. */
const mostIssues = 100;

const longestShown = 64;
const quoteName = (name: string) =>
  JSON.stringify(name.length > longestShown ? `${name.slice(0, longestShown)}…` : name);

const expectedText = (value: unknown) => `${wrongKind('a string', value)}; quote it`;

export const text: Check = (value, reading) => {
  if (typeof value !== 'string') reading.report(expectedText(value));
};

/** Checks a text; `fault` tells its problem. */
export const pattern =
  (fault: (text: string) => string | undefined): Check =>
  (value, reading) => {
    if (typeof value !== 'string') return reading.report(expectedText(value));
    const message = fault(value);
    if (message !== undefined) reading.report(message);
  };

export const object =
  (fields: Readonly<Record<string, Check>>, required: readonly string[], dropped?: string): Check =>
  (value, reading) => {
    if (!isObject(value)) return reading.report(wrongKind('an object', value));
    const names = Object.keys(fields);
    for (const key of Object.keys(value)) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (check) reading.at(key, value[key], check);
      else {
        const message = `unknown field ${quoteName(key)}${suggestion(key, names)}; accepted are ${names.join(', ')}`;
        const more = { atKey: true, isFinding: dropped !== undefined };
        reading.at(key, 0, () => reading.report(dropped === undefined ? message : `${message}; ${dropped}`, more));
      }
    }
    for (const name of required) {
      if (!Object.hasOwn(value, name)) reading.report(`the field ${JSON.stringify(name)} is missing`);
    }
  };

export const list =
  (check: Check): Check =>
  (value, reading) => {
    if (!Array.isArray(value)) return reading.report(wrongKind('a list', value));
    for (const [index, item] of value.entries()) reading.at(index, item, check);
  };

const named =
  (check: Check): Check =>
  (value, reading) => {
    if (!isObject(value)) return reading.report(wrongKind('an object', value));
    for (const [name, item] of Object.entries(value)) {
      const fault = nameFault(name);
      if (fault !== undefined) reading.at(name, 0, () => reading.report(`the name ${fault}`, { atKey: true }));
      else reading.at(name, item, check);
    }
  };

export const effect: Check = (value, reading) => {
  if (value !== 'Allow' && value !== 'Deny') reading.report(wrongKind('one of Allow, Deny', value));
};

/** Builds checks from descriptions of files. */
export const checks: FileBuilder<Check> = {
  effect,
  action: pattern(actionFault),
  resource: pattern(resourceFault),
  name: pattern(nameFault),
  text,
  file: pattern((file) => (file === '' ? 'must not be empty' : undefined)),
  pattern: pattern(resourceFault),
  object,
  list,
  named,
  optional: (check) => (value, reading) => {
    if (value !== undefined) check(value, reading);
  },
  scope: (policy) => (value, reading) => {
    if (typeof value === 'string') pattern(nameFault)(value, reading);
    else if (value !== null && value !== undefined) policy(value, reading);
  },
};

const checkFields = /* @__PURE__ */ describeFile(checks);

/** A checked file: its issues, each with its place, and the paths of those of its values. */
interface CheckedFile {
  readonly issues: readonly PermissionsIssue[];
  readonly paths: readonly Path[];
}

/** Finds the issues of a file. An empty file is valid. */
export function checkFile(parsed: ParsedFile, check: Check = checkFields): CheckedFile {
  const reading = new Reading<FileIssue>();
  if (parsed.value !== undefined && parsed.value !== null) check(parsed.value, reading);
  // A value that could not be read is missing: that is the same problem.
  const places = new Set(parsed.issues.map(({ line, column }) => `${line}:${column}`));
  const found = reading.issues
    .slice(0, mostIssues)
    .map(({ path, message, atKey = false }) => parsed.issueAt(path, message, atKey))
    .filter(({ line, column }) => !places.has(`${line}:${column}`));
  return { issues: [...parsed.issues, ...found], paths: reading.issues.map(({ path }) => path) };
}
