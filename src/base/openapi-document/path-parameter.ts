import { expected } from '../lib/readers.js';
import { readTypes, resolve } from './parameter-schema.js';

/** True for a text in canonical form, like `7` but not `07`: no service reads it as another text's value. */
export type IsPlain = (text: string) => boolean;

/** A list of parameters, and its place in the document. */
export type ParameterList = readonly [field: string, parameters: unknown];

/** True for the one text of a number that a double holds exactly. */
export const isNumberText: IsPlain = (text) => String(Number(text)) === text && Math.abs(Number(text)) < 2 ** 53;

/** JavaScript reads white space as 0. */
const numberLike = /^[\s+\-_.]*(?:\p{N}|$|(?:inf(?:inity)?|nan)\s*$)/iu;
/** By type or format: the check of the canonical form, and the texts that a service may take for another form. */
const forms: Readonly<Record<string, readonly [isCanonical: IsPlain, looksLike: RegExp]>> = {
  integer: [(text) => isNumberText(text) && !/\D/.test(text.slice(1)), numberLike],
  number: [isNumberText, numberLike],
  // Parsers of UUIDs leave out braces, hyphens, spaces and prefixes, and take shorter groups of digits.
  uuid: [(text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text), /^(?:[^g-wyz]|urn:|uuid:){9,}$/i],
};

/**
 * The path parameter of an operation by its name; those of the operation override those of its path.
 * @throws InvalidArgumentError for a parameter whose reference cannot be followed: it may be the one.
 */
function findParameter(document: Readonly<Record<string, unknown>>, name: string, lists: readonly ParameterList[]) {
  const all = lists.flatMap(([field, list = []]) => {
    if (!Array.isArray(list)) throw expected(field, 'an array', list);
    return list.map((one: unknown, index) => resolve(document, one, `${field}[${index}]`));
  });
  return all.findLast(({ value }) => value.in === 'path' && value.name === name);
}

/**
 * Returns the check of a path parameter's texts by its schema: a service may read `07` as the number 7, and a UUID in
 * any case. Undefined if the texts are encoded values: of a list, an object, or the style `label` or `matrix`.
 * @param lists the parameters of the path, then those of the operation
 * @throws InvalidArgumentError naming the place of a schema that cannot be followed.
 */
export function plainTexts(
  document: Readonly<Record<string, unknown>>,
  name: string,
  lists: readonly ParameterList[],
): IsPlain | undefined {
  const found = findParameter(document, name, lists);
  const { schema, style = 'simple', content } = found?.value ?? {};
  const types = new Set(readTypes(document, schema, `${found?.place}.schema`));
  if (style !== 'simple' || content !== undefined || types.has('array') || types.has('object')) return undefined;
  const formsOfTypes = Object.keys(forms).flatMap((type) => (types.has(type) ? [forms[type] ?? []] : []));
  return (text) =>
    formsOfTypes.some(([isCanonical]) => isCanonical?.(text)) ||
    !formsOfTypes.some(([, looksLike]) => looksLike?.test(text));
}
