import { isObject } from '../../base/lib/values.js';
import { shapeOf, typesOf } from '../../base/openapi-document/document-parameters.js';
import type { Shape } from '../../base/openapi-document/parameter-style.js';
import type { SentValue } from '../../base/openapi-document/read-parameter.js';
import { variantsOf } from '../../base/openapi-document/reference.js';

/** Converts texts to the types of a document's schemas. */
export interface Conversion {
  readonly document: unknown;
  /** True for a value that a schema allows. */
  fits(value: unknown, schema: unknown): boolean;
}

/** A text as a primitive type; undefined if it is not one of its texts. */
function convertText(text: string, type: string): unknown {
  if (type === 'null') return text === '' ? null : undefined;
  if (type === 'boolean') return /^(?:true|false)$/.test(text) ? text === 'true' : undefined;
  if (type === 'integer' || type === 'number') {
    return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
  }
  return text;
}

/** The values that a parameter may be, the likely ones first: lists of several items, texts, other types. */
function candidates(
  conversion: Conversion,
  schema: unknown,
  read: (shape: Shape) => SentValue | undefined,
): readonly unknown[] {
  const pairs: (readonly [order: number, value: unknown])[] = [];
  for (const variant of variantsOf(conversion.document, schema)) {
    for (const type of typesOf(variant)) {
      const sent = read(shapeOf(type));
      if (Array.isArray(sent)) {
        const items = sent.map((text: string) => convertPart(conversion, text, variant.items));
        pairs.push([sent.length > 1 ? 0 : 3, items]);
      } else if (typeof sent === 'object') {
        const { properties, additionalProperties } = variant;
        const of = (name: string) =>
          isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
        const fields = Object.entries(sent).map(([name, text]) => [name, convertPart(conversion, text, of(name))]);
        pairs.push([4, Object.fromEntries(fields)]);
      } else if (sent !== undefined) {
        const value = convertText(sent as string, type);
        if (value !== undefined) pairs.push([type === 'string' ? 1 : 2, value]);
      }
    }
  }
  return pairs.sort(([a], [b]) => a - b).map(([, value]) => value);
}

const convertPart = (conversion: Conversion, text: string, schema: unknown): unknown =>
  convert(conversion, schema, (shape) => (shape === 'value' ? text : undefined)) ?? text;

/**
 * Converts what was sent to the first of a schema's types by which the whole value fits; if it fits none, to the first.
 * @returns undefined if nothing was sent, or not in a shape of the schema.
 */
export function convert(
  conversion: Conversion,
  schema: unknown,
  read: (shape: Shape) => SentValue | undefined,
): unknown {
  const all = candidates(conversion, schema, read);
  const fitting = all.length > 1 ? all.findIndex((value) => conversion.fits(value, schema)) : 0;
  return all.length > 0 ? all[Math.max(fitting, 0)] : read('value');
}

/** Parses JSON; a text that is not JSON stays text, which then violates the schema. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
