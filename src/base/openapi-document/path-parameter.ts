import { expected } from '../lib/readers.js';
import { readTypes, resolve } from './parameter-schema.js';
import { formOf, type IsPlain } from './value-forms.js';

/** A list of parameters, and its place in the document. */
export type ParameterList = readonly [field: string, parameters: unknown];

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
 * Returns the check of a path parameter's texts by its schema, or the problem if there is none: its texts are encoded
 * values (of a list, an object, or the style `label` or `matrix`), or a value may have several texts.
 * @param lists the parameters of the path, then those of the operation
 * @param asText true to take each text as it is, whatever the schema
 * @throws InvalidArgumentError naming the place of a schema that cannot be followed.
 */
export function plainTexts(
  document: Readonly<Record<string, unknown>>,
  lists: readonly ParameterList[],
  name: string,
  asText: boolean,
): IsPlain | string {
  const found = findParameter(document, name, lists);
  const { schema, style = 'simple', content } = found?.value ?? {};
  const types = asText ? [] : readTypes(document, schema, `${found?.place}.schema`);
  if (style !== 'simple' || content !== undefined || types.some(({ type }) => type === 'array' || type === 'object')) {
    return 'names a parameter that is a list or an object, or in a style other than "simple"';
  }
  if (asText) return () => true;
  const [form, ...others] = new Set(types.map(formOf));
  const choices = types.flatMap(({ values }) => (values ? [values] : []));
  if (form === undefined || others.length > 0 || choices.length % types.length !== 0) {
    return `the values of {${name}} may have several texts each; {${name}:text} would take each text as it is`;
  }
  if (choices.length === 0) return form;
  const texts = new Set(choices.flat().flatMap((value) => (value === null ? [] : [String(value)])));
  return (text) => form(text) && texts.has(text);
}
