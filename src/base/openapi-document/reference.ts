import { isObject } from '../lib/values.js';
import { decodeText } from './path-text.js';

/** The value at a JSON pointer in a document (`#/components/schemas/Order`); undefined if there is none. */
export function findReference(document: unknown, reference: unknown): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let value: unknown = document;
  for (const name of reference.slice(2).split('/')) {
    const key = decodePointer(name);
    const isHolder = isObject(value) || Array.isArray(value);
    value =
      isHolder && key !== undefined && Object.hasOwn(value as object, key)
        ? Reflect.get(value as object, key)
        : undefined;
  }
  return value;
}

/** Decodes a name in a JSON pointer; undefined if it is undecodable. */
export const decodePointer = (name: string): string | undefined =>
  decodeText(name)?.replaceAll('~1', '/').replaceAll('~0', '~');

/** Follows a chain of `$ref`s inside the document; undefined if it cannot be resolved. */
export function follow(document: unknown, value: unknown): Record<string, unknown> | undefined {
  let target = value;
  // Longer chains are cycles, or as good as cycles.
  for (let step = 0; step < 32 && isObject(target); step += 1) {
    if (target.$ref === undefined) return target;
    target = findReference(document, target.$ref);
  }
  return undefined;
}

/** A schema of a document, before its keywords are read. */
export type SchemaFields = Readonly<Record<string, unknown>>;

const join = (base: SchemaFields, added: SchemaFields): SchemaFields => {
  const properties = { ...Object(base.properties), ...Object(added.properties) };
  return { ...base, ...added, ...(Object.keys(properties).length > 0 && { properties }) };
};

/** The maximum number of alternatives; further ones are left out. */
const mostVariants = 64;

/**
 * The alternatives of a schema, references followed: its keywords, those of each part of `allOf`, and those of one part
 * each of `anyOf` and `oneOf`. One that contains itself adds nothing: its number of parts would grow with each level.
 */
export function variantsOf(
  document: unknown,
  schema: unknown,
  above: readonly unknown[] = [],
): readonly SchemaFields[] {
  const target = follow(document, schema);
  if (target === undefined || above.length > 8 || above.includes(target)) return [{}];
  const { allOf, anyOf, oneOf, ...own } = target;
  const parts = (Array.isArray(allOf) ? allOf : []).map((part) => [part]);
  for (const choices of [anyOf, oneOf]) if (Array.isArray(choices)) parts.push(choices);
  return parts.reduce<readonly SchemaFields[]>(
    (all, choices) => {
      const variants = choices.flatMap((choice) => variantsOf(document, choice, [...above, target]));
      return all.flatMap((before) => variants.map((other) => join(before, other))).slice(0, mostVariants);
    },
    [own],
  );
}
