import { expected } from '../lib/readers.js';
import { readTypes, resolve, type ValueType } from './parameter-schema.js';
import { type StyledParameter, styleOf } from './parameter-style.js';
import { follow } from './reference.js';
import { formOf, type IsPlain } from './value-forms.js';

/** A list of parameters, and its place in the document. */
export type ParameterList = readonly [field: string, parameters: unknown];

/** A parameter that a resource names. */
export interface ResourceParameter extends StyledParameter {
  readonly isList: boolean;
  /** The check of the texts of a value, or of an item. */
  readonly isPlain: IsPlain;
}

/** The styles of such a parameter by its place; those with delimiters are of lists. */
const styles = /^(?:path (?:label|simple)\*?|query \+?(?:form\*?|(?:space|pipe)Delimited))$/;

/** The check of the texts of values; undefined if a value may have several texts. */
function plainOf(types: readonly ValueType[]): IsPlain | undefined {
  const [form, ...others] = new Set(types.map(formOf));
  const choices = types.flatMap(({ values }) => (values ? [values] : []));
  if (form === undefined || others.length > 0 || choices.length % types.length !== 0) return undefined;
  if (choices.length === 0) return form;
  const texts = new Set(choices.flat().flatMap((value) => (value === null ? [] : [String(value)])));
  return (text) => form(text) && texts.has(text);
}

/**
 * Reads a parameter that a resource names, or returns the problem: it is in no path or query, an object, a `content`,
 * `matrix`, at whose `;` some routers end the path, or a value may have several texts.
 * @param name a parameter of the path if `names` has it, else of the query
 * @param lists the parameters of the path item, then those of the operation, which override them
 * @param asText true to take each text as it is, whatever the schema
 * @throws InvalidArgumentError naming the place of a reference or a schema that cannot be followed.
 */
export function readResourceParameter(
  document: Readonly<Record<string, unknown>>,
  lists: readonly ParameterList[],
  names: readonly string[],
  [name, asText]: readonly [name: string, asText: boolean],
): ResourceParameter | string {
  const named = lists
    .flatMap(([field, list = []]) => {
      if (!Array.isArray(list)) throw expected(field, 'an array', list);
      return list.map((parameter: unknown, index) => resolve(document, parameter, `${field}[${index}]`));
    })
    .filter((parameter) => parameter.value.name === name);
  const place = names.includes(name) ? 'path' : 'query';
  const match = named.findLast(({ value }) => value.in === place);
  if (place === 'query' && match === undefined) {
    return `names ${name}, which is in neither the path nor the query; the path has ${names.join(', ') || 'none'}`;
  }
  const fields = match?.value ?? {};
  const { schema, content } = fields;
  const style = styleOf(place, fields);
  const field = `${match?.place}.schema`;
  const types = asText ? [] : readTypes(document, schema, field);
  // A parameter that is taken as text may have a schema whose references cannot be followed.
  const isList = asText
    ? [follow(document, schema)?.type].flat().includes('array')
    : types.some(({ type }) => type === 'array');
  // If the schema also allows a list, any other type is refused like a list of lists.
  const values = types.flatMap((type) => {
    if (type.type === 'array') return readTypes(document, type.items, `${field}.items`);
    return isList ? { ...type, type: 'array' } : type;
  });
  if (
    content !== undefined ||
    !styles.test(`${place} ${style}`) ||
    (style.includes('Delimited') && !isList) ||
    !values.every(({ type }) => type !== 'array' && type !== 'object')
  ) {
    return `names ${name}, which is an object, a content, a list of lists, or in a style that is not supported`;
  }
  const isPlain = asText ? () => true : plainOf(values);
  return isPlain
    ? // The cast: `style` was checked above.
      ({ name, in: place, style, isList, isPlain } as ResourceParameter)
    : `the values of {${name}} may have several texts each; {${name}:text} takes each as it is`;
}
