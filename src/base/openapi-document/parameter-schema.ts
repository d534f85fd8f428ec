import { InvalidArgumentError } from '../errors.js';
import { expected } from '../lib/readers.js';
import { isObject } from '../lib/values.js';
import { findReference, type SchemaFields } from './reference.js';

/** An object of a document and its place there, for errors. */
type Resolved = { readonly value: SchemaFields; readonly place: string };

/** The keys beside a `$ref` that do not restrict the value. */
const annotation = /^(?:\$ref|title|summary|description|default|example|deprecated|nullable|x-)/;
/**
 * Unsupported keywords: those that make references lead elsewhere (`$id`, `$anchor`, `$dynamicRef`), conditions,
 * encodings, and those by which ajv changes values (`transform` of ajv-keywords; inside `not`, ajv converts types).
 */
const unfollowed = /^(?:\$(?!comment|defs|schema)|(?:then|else|not|transform)$|content[EMS])/;

/** The types of JSON Schema. */
const knownTypes = new Set<unknown>(['string', 'integer', 'number', 'boolean', 'array', 'object', 'null']);

/** One of the types that a schema allows. */
export interface ValueType {
  /** Undefined if the schema allows any. */
  readonly type: unknown;
  readonly format: unknown;
  /** The values of `enum` or `const`; undefined for any value of the type. */
  readonly values: readonly unknown[] | undefined;
  /** The schema of the items of a list. */
  readonly items?: unknown;
}

/** The first key that matches. */
const keyOf = (value: object, matches: (key: string) => boolean) => Object.keys(value).find(matches);

/**
 * Follows the references of an object in a document.
 * @throws InvalidArgumentError naming the place of a reference that leads out of the document, nowhere or in a circle,
 * or of a key beside it, which OpenAPI 3.0 ignores, and ajv does not.
 */
export function resolve(
  document: SchemaFields,
  value: unknown,
  place: string,
  above: readonly unknown[] = [],
): Resolved {
  if (!isObject(value)) throw expected(place, 'an object', value);
  const { $ref } = value;
  if ($ref === undefined) return { value, place };
  const sibling = keyOf(value, (key) => !annotation.test(key));
  if (sibling !== undefined) throw new InvalidArgumentError(`${place}.${sibling}`, 'not supported beside a $ref');
  const target = above.includes(value) ? undefined : findReference(document, $ref);
  if (target === undefined) throw new InvalidArgumentError(`${place}.$ref`, 'expected a reference inside the document');
  return resolve(document, target, `document${String($ref).slice(1).replaceAll('/', '.')}`, [...above, value]);
}

/**
 * Reads the types that a schema and its parts allow, without `null`.
 * @param above the schemas that this one is a part of
 * @throws InvalidArgumentError naming the place of a keyword that is not understood.
 */
export function readTypes(
  document: SchemaFields,
  value: unknown,
  field: string,
  above: readonly SchemaFields[] = [],
): readonly ValueType[] {
  const isAny = value === undefined || typeof value === 'boolean';
  const { value: schema, place } = isAny ? { value: {}, place: field } : resolve(document, value, field);
  const all = [...above, schema];
  const find = (name: string) => all.findLast((schema) => schema[name] !== undefined)?.[name];
  // Of a schema and its parts: ajv converts to the type of each in turn, so that they have to be the same.
  const types = [...new Set(all.flatMap(({ type }) => type ?? []))];
  const isTyped = types.length > 0;
  const bad = keyOf(schema, (key) => unfollowed.test(key) || (!isTyped && /^(?:enum|const|format)$/.test(key)));
  if (bad !== undefined) throw new InvalidArgumentError(`${place}.${bad}`, 'not supported, or not without a type');
  if (!types.every((type) => knownTypes.has(type))) {
    throw new InvalidArgumentError(`${place}.type`, 'expected a type of JSON Schema, like "integer"');
  }
  if (above.includes(schema)) throw new InvalidArgumentError(place, 'holds itself');
  const partsOf = (name: string) =>
    [schema[name] ?? []].flat().flatMap((part, index) => readTypes(document, part, `${place}.${name}[${index}]`, all));
  const joined = partsOf('allOf');
  // A part of `allOf` without a type only restricts the others.
  const typed = joined.filter(({ type }) => type !== undefined);
  const parts = [...partsOf('anyOf'), ...partsOf('oneOf'), ...(typed.length > 0 ? typed : joined)];
  if (parts.length > 0) return parts;
  const [format, items, constant, choices] = [find('format'), find('items'), find('const'), find('enum')];
  const values: unknown[] | undefined =
    constant !== undefined ? [constant] : choices === undefined ? undefined : [choices].flat();
  return (isTyped ? types : [undefined]).flatMap((type) => (type === 'null' ? [] : { type, format, values, items }));
}
