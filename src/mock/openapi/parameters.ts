import { isObject } from '../../base/lib/values.js';
import { choicesOf, follow } from '../../base/openapi-document/reference.js';

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: unknown;
  readonly style: string;
  readonly explode: boolean;
}

/** Reads the parameters of an operation and its path; those of the operation override. Cookies are left out. */
export function readParameters(document: unknown, ...lists: readonly unknown[]): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const given of lists.flat()) {
    const { name, in: place, required, schema, style, explode, content } = follow(document, given) ?? {};
    if (typeof name !== 'string' || (place !== 'path' && place !== 'query' && place !== 'header')) continue;
    if (place === 'header' && /^(?:accept|content-type|authorization)$/i.test(name)) continue;
    const ofStyle = typeof style === 'string' ? style : place === 'query' ? 'form' : 'simple';
    found.set(`${place} ${name}`, {
      name,
      in: place,
      required: place === 'path' || required === true,
      // A parameter with a content is text in that type.
      schema: content === undefined ? schema : { type: 'string' },
      style: ofStyle,
      explode: typeof explode === 'boolean' ? explode : ofStyle === 'form',
    });
  }
  return [...found.values()];
}

/** The types that a schema accepts, through references and choices. */
function typesOf(document: unknown, schema: unknown): Set<string> {
  const found = new Set<string>();
  for (const { type, enum: values, nullable } of choicesOf(document, schema)) {
    for (const one of [type].flat()) if (typeof one === 'string') found.add(one);
    if (type === undefined && Array.isArray(values)) {
      for (const value of values) found.add(value === null ? 'null' : typeof value);
    }
    if (nullable === true) found.add('null');
  }
  return found;
}

/** The schema of an array's items, also below a choice. */
const itemsOf = (document: unknown, schema: unknown): unknown =>
  [...choicesOf(document, schema)].find(({ items }) => items !== undefined)?.items;

/** Converts a text to its schema's type; a text that does not convert stays text, which then violates it. */
export function coerce(document: unknown, text: string, schema: unknown): unknown {
  const types = typesOf(document, schema);
  if (types.has('string') || types.size === 0) return text;
  if (text === '' && types.has('null')) return null;
  if ((types.has('integer') || types.has('number')) && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text))
    return Number(text);
  if (types.has('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  return text;
}

const separators: Readonly<Record<string, string>> = { pipeDelimited: '|', spaceDelimited: ' ' };

/** Converts the texts that were sent to a parameter's type; undefined if there are none. */
export function readValue(document: unknown, parameter: Parameter, texts: readonly string[]): unknown {
  const [first] = texts;
  if (first === undefined) return undefined;
  const { schema, style, explode } = parameter;
  if (!typesOf(document, schema).has('array')) return coerce(document, first, schema);
  const isRepeated = parameter.in === 'query' && explode;
  const parts = isRepeated ? texts : first.split(separators[style] ?? ',');
  const items = itemsOf(document, schema);
  return parts.map((part) => coerce(document, part, items));
}

/** The fields of an object in the style `deepObject`: `filter[state]=open`. */
export function deepObject(document: unknown, { name, schema }: Parameter, query: URLSearchParams): unknown {
  const properties = follow(document, schema)?.properties;
  const fields = [...query].flatMap(([key, text]): [string, unknown][] => {
    if (!key.startsWith(`${name}[`) || !key.endsWith(']')) return [];
    const field = key.slice(name.length + 1, -1);
    return [[field, coerce(document, text, isObject(properties) ? properties[field] : undefined)]];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}
