import { InvalidArgumentError } from '../errors.js';
import { expected } from '../lib/readers.js';
import { isObject } from '../lib/values.js';
import { findReference } from './reference.js';

type Fields = Readonly<Record<string, unknown>>;

/** An object of a document and its place there, for errors. */
interface Resolved {
  readonly value: Fields;
  readonly place: string;
}

/** The keys beside a `$ref` that do not restrict the value. */
const annotation = /^(?:\$ref|title|summary|description|default|example|deprecated|x-)/;
/** The keywords that make references lead elsewhere: `$id`, `$anchor`, `$dynamicRef`. */
const unfollowed = /^\$(?!comment|defs|schema)/;

/** The types of JSON Schema; a schema without a type accepts any. */
const knownTypes = new Set<unknown>([
  undefined,
  ...['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'],
]);

/** The first key that matches. */
const keyOf = (value: object, matches: (key: string) => boolean) => Object.keys(value).find(matches);

/**
 * Follows the references of an object in a document.
 * @throws InvalidArgumentError naming the place of a reference that leads out of the document, nowhere or in a circle,
 * or of a key beside it that OpenAPI 3.1 does not ignore.
 */
export function resolve(document: Fields, value: unknown, place: string, above: readonly unknown[] = []): Resolved {
  if (!isObject(value)) throw expected(place, 'an object', value);
  const { $ref } = value;
  if ($ref === undefined) return { value, place };
  const sibling = keyOf(value, (key) => !annotation.test(key));
  if (sibling !== undefined && !/^3\.0/.test(String(document.openapi))) {
    throw new InvalidArgumentError(`${place}.${sibling}`, 'not supported beside a $ref');
  }
  const found = above.includes(value) ? undefined : findReference(document, $ref);
  if (found === undefined) {
    throw new InvalidArgumentError(`${place}.$ref`, 'expected a reference inside the document');
  }
  return resolve(document, found, `document${String($ref).slice(1).replaceAll('/', '.')}`, [...above, value]);
}

/**
 * Reads the types and formats that a schema and its parts allow.
 * @param above the schemas that this one is a part of
 * @throws InvalidArgumentError naming the place of a keyword that is not understood.
 */
export function* readTypes(
  document: Fields,
  given: unknown,
  field: string,
  above: readonly Fields[] = [],
): Generator<unknown> {
  // Any value, or none.
  if (given === undefined || typeof given === 'boolean') return;
  const { value: schema, place } = resolve(document, given, field);
  const all = [...above, schema];
  const isTyped = all.some(({ type }) => type !== undefined);
  const bad = keyOf(schema, (key) => unfollowed.test(key) || (!isTyped && /^(?:enum|const|format)$/.test(key)));
  if (bad !== undefined) throw new InvalidArgumentError(`${place}.${bad}`, 'expected a type, and no $id or anchor');
  if (![schema.type].flat().every((type) => knownTypes.has(type))) {
    throw new InvalidArgumentError(`${place}.type`, 'expected a type of JSON Schema, like "integer"');
  }
  if (above.includes(schema)) throw new InvalidArgumentError(place, 'holds itself');
  yield* [schema.type, schema.format].flat();
  for (const name of ['anyOf', 'oneOf', 'allOf', 'then', 'else']) {
    for (const [index, part] of [schema[name]].flat().entries()) {
      yield* readTypes(document, part, `${place}.${name}[${index}]`, all);
    }
  }
}
