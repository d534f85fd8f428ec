import { InvalidArgumentError } from '../errors.js';
import {
  isPlace,
  isStyle,
  type Shape,
  type StyledParameter,
  styleOf,
  takesShape,
  usualStyle,
} from './parameter-style.js';
import { follow, variantsOf } from './reference.js';

/** A parameter of an operation. */
export interface DocumentParameter extends StyledParameter {
  readonly required: boolean;
  /** The schema of the values; undefined if any text is accepted. */
  readonly schema: unknown;
  readonly allowsEmpty: boolean;
  /** The shapes of the values. */
  readonly shapes: readonly Shape[];
}

/** The types that a variant of a schema allows; `string` if it has none. */
export function typesOf(variant: Readonly<Record<string, unknown>>): readonly string[] {
  const { type, nullable, enum: values, const: only, properties, additionalProperties, items } = variant;
  const named = [type].flat().filter((name) => typeof name === 'string');
  if (nullable === true) named.push('null');
  if (type !== undefined) return named;
  const listed = Array.isArray(values) ? values : only === undefined ? [] : [only];
  if (listed.length > 0) return [...new Set(listed.map((value) => (value === null ? 'null' : typeof value)))];
  if (items !== undefined) return ['array'];
  return (properties ?? additionalProperties) ? ['object'] : ['string', ...named];
}

export const shapeOf = (type: string): Shape => (type === 'array' ? 'list' : type === 'object' ? 'object' : 'value');

/** True for a schema of which some values are primitive. */
const isPrimitive = (document: unknown, schema: unknown): boolean =>
  variantsOf(document, schema).some((variant) => typesOf(variant).some((type) => shapeOf(type) === 'value'));

/** The shapes of a schema that a style has a form for: the items and fields are primitive. */
function shapesOf(document: unknown, parameter: StyledParameter, schema: unknown): Shape[] {
  const shapes = variantsOf(document, schema).flatMap((variant) =>
    typesOf(variant)
      .map(shapeOf)
      .filter((shape) => {
        const { items, properties } = variant;
        const parts = shape === 'list' ? [items] : shape === 'object' ? Object.values(Object(properties)) : [];
        return takesShape(parameter, shape) && parts.every((part) => isPrimitive(document, part));
      }),
  );
  return [...new Set(shapes)];
}

/**
 * Reads the parameters of an operation and its path; those of the operation override.
 * @param operation method and path, for errors
 * @throws InvalidArgumentError naming the parameter, for a style that its place or its type does not have.
 */
export function readParameters(
  document: unknown,
  operation: string,
  ...lists: readonly unknown[]
): readonly DocumentParameter[] {
  const parameters = new Map<string, DocumentParameter>();
  for (const entry of lists.flat()) {
    const fields = follow(document, entry) ?? {};
    const { name, in: place, required, schema, content, allowEmptyValue } = fields;
    if (typeof name !== 'string' || !isPlace(place)) continue;
    if (place === 'header' && /^(?:accept|content-type|authorization)$/i.test(name)) continue;
    const [[type = '', media] = []] = Object.entries(Object(content));
    const isJson = /[/+]json\s*(?:;|$)/i.test(type);
    // The specification names no style for a `content` of text, so it is written as a plain value.
    const style = content === undefined ? styleOf(place, fields) : isJson ? 'json' : usualStyle(place).replace('*', '');
    const refuse = (problem: string) =>
      new InvalidArgumentError('document', `${operation}: the ${place} parameter ${name} ${problem}`);
    if (!isStyle(place, style)) throw refuse(`has a style that OpenAPI does not have there: ${style}`);
    const parameter = { name, in: place, style } as const;
    const own: unknown = content === undefined ? schema : isJson ? Object(media).schema : undefined;
    const shapes: readonly Shape[] = style === 'json' ? ['value'] : shapesOf(document, parameter, own);
    if (shapes.length === 0) throw refuse(`has a type for which the style ${style} has no form`);
    parameters.set(`${place} ${name}`, {
      ...parameter,
      required: place === 'path' || required === true,
      schema: own,
      allowsEmpty: allowEmptyValue === true,
      shapes,
    });
  }
  return [...parameters.values()];
}
