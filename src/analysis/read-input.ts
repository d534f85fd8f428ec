import { describeKind, isObject, isTexts } from '../lib/values.js';
import type { EvaluatorSubject } from '../policy/index.js';
import { resourceFault } from '../policy/model/pattern.js';
import { ownField } from '../policy/model/validate.js';
import { refuse } from './error.js';
import type { PatternPair } from './types.js';

/** Reads a list of names, or undefined. */
export function readNames(name: string, value: unknown): readonly string[] | undefined {
  if (value === undefined || isTexts(value)) return value;
  return refuse(name, `expected a list of texts, got ${describeKind(value)}`);
}

/** Reads a list, item by item. */
export function readList<T>(name: string, value: unknown, read: (name: string, item: unknown) => T): T[] {
  if (!Array.isArray(value)) return refuse(name, `expected a list, got ${describeKind(value)}`);
  // Holes are checked, too.
  return Array.from(value, (item, i) => read(`${name}[${i}]`, item));
}

/** Reads a subject from its own fields. */
export function readSubject(name: string, value: unknown): EvaluatorSubject {
  const [user, superuser] = [ownField(value, 'user'), ownField(value, 'superuser')];
  const roles = readNames(`${name}.roles`, ownField(value, 'roles'));
  if (typeof user === 'string') return roles ? { user, roles } : { user };
  if (user === undefined && roles) return { roles };
  if (user === undefined && superuser === true) return { superuser };
  return refuse(name, 'expected { user }, { user, roles }, { roles } or { superuser: true }');
}

/** Reads an action and a resource, which have to be patterns that can be parsed. With `fields`, others are refused. */
export function readPair(name: string, value: unknown, fields?: readonly string[]): PatternPair {
  if (!isObject(value)) return refuse(name, `expected an object, got ${describeKind(value)}`);
  const unknown = fields && Object.keys(value).find((field) => !fields.includes(field));
  if (unknown !== undefined) refuse(`${name}.${unknown}`, `unknown; expected ${fields?.join(', ')}`);
  const read = (field: string): string => {
    const text = ownField(value, field);
    if (typeof text !== 'string') return refuse(`${name}.${field}`, `expected a text, got ${describeKind(text)}`);
    const fault = resourceFault(text, true);
    return fault ? refuse(`${name}.${field}`, fault) : text;
  };
  return { action: read('action'), resource: read('resource') };
}
