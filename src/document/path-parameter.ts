import { choicesOf, follow } from './reference.js';

/** True for a text in canonical form, like `7` but not `07`: no service reads it as another text's value. */
export type IsPlain = (text: string) => boolean;

const isNumberText: IsPlain = (text) =>
  /^(?!-0$)-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/.test(text) || !/^[\s+\-_.]*\p{N}/u.test(text);
const isUuidText: IsPlain = (text) =>
  /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text) || !/^\{?(?:[\da-f]-?){32}\}?$/i.test(text);

/** The path parameter of an operation by its name; those of the operation override those of its path. */
function findParameter(document: unknown, name: string, lists: readonly unknown[]) {
  const all = lists.flatMap((list) => (Array.isArray(list) ? list : [])).map((one) => follow(document, one));
  return all.findLast((one) => one?.in === 'path' && one.name === name);
}

/**
 * Returns the check of a path parameter's texts by its schema: a service may read `07` as the number 7, and a UUID in
 * any case. Undefined if the texts are encoded values: of a list, an object, or the style `label` or `matrix`.
 * @param lists the parameters of the path, then those of the operation
 */
export function plainTexts(document: unknown, name: string, lists: readonly unknown[]): IsPlain | undefined {
  const { schema, style = 'simple', content } = findParameter(document, name, lists) ?? {};
  const kinds = new Set([...choicesOf(document, schema)].flatMap(({ type, format }) => [type, format].flat()));
  if (style !== 'simple' || content !== undefined || kinds.has('array') || kinds.has('object')) return undefined;
  const checks = [
    ...(kinds.has('integer') || kinds.has('number') ? [isNumberText] : []),
    ...(kinds.has('uuid') ? [isUuidText] : []),
  ];
  return (text) => checks.every((check) => check(text));
}
