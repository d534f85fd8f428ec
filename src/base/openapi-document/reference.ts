import { isObject } from '../lib/values.js';
import { decodeText } from './path-text.js';

/** The value at a JSON pointer in a document (`#/components/schemas/Order`); undefined if there is none. */
export function findReference(document: unknown, reference: unknown): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let found: unknown = document;
  for (const name of reference.slice(2).split('/')) {
    const key = decodePointer(name);
    const isHolder = isObject(found) || Array.isArray(found);
    found =
      isHolder && key !== undefined && Object.hasOwn(found as object, key)
        ? Reflect.get(found as object, key)
        : undefined;
  }
  return found;
}

/** Decodes a name in a JSON pointer; undefined if it is undecodable. */
export const decodePointer = (name: string): string | undefined =>
  decodeText(name)?.replaceAll('~1', '/').replaceAll('~0', '~');

/** Follows a chain of `$ref`s inside the document; undefined if it cannot be resolved. */
export function follow(document: unknown, value: unknown): Record<string, unknown> | undefined {
  let found = value;
  // Longer chains are cycles, or as good as cycles.
  for (let step = 0; step < 32 && isObject(found); step += 1) {
    if (found.$ref === undefined) return found;
    found = findReference(document, found.$ref);
  }
  return undefined;
}

/** A schema and those of its choices (`anyOf`, `oneOf`, `allOf`), their references followed, each once. */
export function* choicesOf(
  document: unknown,
  schema: unknown,
  seen: Set<unknown> = new Set(),
): Generator<Record<string, unknown>> {
  const found = follow(document, schema);
  if (found === undefined || seen.has(found)) return;
  seen.add(found);
  yield found;
  for (const one of [found.anyOf, found.oneOf, found.allOf].flat()) yield* choicesOf(document, one, seen);
}
