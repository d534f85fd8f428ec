import { isObject } from '../../base/lib/values.js';
import { shapeOf, typesOf } from '../../base/openapi-document/document-parameters.js';
import type { ParameterStyle, Shape } from '../../base/openapi-document/parameter-style.js';
import { readParameter } from '../../base/openapi-document/read-parameter.js';
import { readPairs, type SentPairs } from '../../base/openapi-document/read-texts.js';
import { follow, variantsOf } from '../../base/openapi-document/reference.js';
import { type Conversion, convert, parseJson } from './convert.js';
import { isJson } from './media.js';

/** A field of a form: how it is encoded. */
type Field = { readonly name: string; readonly schema: unknown; readonly style: ParameterStyle };

/** The fields of a form by its schema and its `encoding`; an object is JSON unless it has a style. */
function fieldsOf({ document }: Conversion, media: Readonly<Record<string, unknown>>): readonly Field[] {
  const fields = new Map<string, Field>();
  for (const { properties } of variantsOf(document, media.schema)) {
    for (const [name, schema] of Object.entries(Object(properties))) {
      const encodings = isObject(media.encoding) ? media.encoding : {};
      const encoding = Object.hasOwn(encodings, name) ? follow(document, encodings[name]) : undefined;
      const { style, explode, contentType } = encoding ?? {};
      const isParts = variantsOf(document, schema).every((variant) =>
        [variant, ...variantsOf(document, variant.items)].some((schema) => typesOf(schema).includes('object')),
      );
      const isStyled = style !== undefined || explode !== undefined;
      const isEncoded =
        String(contentType).split(',').some(isJson) || (isParts && !isStyled && contentType === undefined);
      const name30 = typeof style === 'string' ? style : 'form';
      const isExploded = explode === true || (explode === undefined && /^(?:form|deepObject)$/.test(name30));
      // The cast: a style that OpenAPI does not have is read as a list with commas.
      fields.set(name, {
        name,
        schema,
        style: isEncoded ? 'json' : (`${name30}${isExploded ? '*' : ''}` as ParameterStyle),
      });
    }
  }
  return [...fields.values()];
}

/** The fields that the schema does not have, as text, or texts if they are repeated. */
function otherFields(
  pairs: SentPairs,
  fields: readonly Field[],
  decode: (text: string) => string,
): [string, unknown][] {
  const fieldNames = new Set(fields.map(({ name }) => name));
  const isExploded = (name: string) =>
    fields.some((field) => field.style === 'deepObject*' && name.startsWith(`${field.name}[`));
  const names = new Set(pairs.map(([name]) => name).filter((name) => !fieldNames.has(name) && !isExploded(name)));
  return [...names].map((name) => {
    const texts = pairs.flatMap(([key, text]) => (key === name ? [decode(text)] : []));
    return [name, texts.length > 1 ? texts : texts[0]];
  });
}

/** Reads the value of a form from its pairs. */
function readPairsOf(
  conversion: Conversion,
  media: Readonly<Record<string, unknown>>,
  pairs: SentPairs,
): Record<string, unknown> {
  const fields = fieldsOf(conversion, media);
  const names = new Set(fields.map(({ name }) => name));
  const values = fields.map(({ name, schema, style }) => {
    const parameter = { name, in: 'query', style } as const;
    const read = (shape: Shape) => readParameter(parameter, shape, pairs, names);
    if (style !== 'json') return [name, convert(conversion, schema, read)];
    const isList = variantsOf(conversion.document, schema).some((variant) =>
      typesOf(variant).map(shapeOf).includes('list'),
    );
    const texts = pairs.filter(([key]) => key === name);
    const all = texts.map((pair) => parseJson(String(readParameter(parameter, 'value', [pair]))));
    return [name, isList && !(all.length === 1 && Array.isArray(all[0])) && all.length > 0 ? all : all[0]];
  });
  const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
  const others = otherFields(pairs, fields, decode);
  return Object.fromEntries([...others, ...values].filter(([, value]) => value !== undefined));
}

/** Reads a body of `application/x-www-form-urlencoded` as the schema of its fields and their `encoding` say. */
export const readForm = (conversion: Conversion, media: Readonly<Record<string, unknown>>, text: string) =>
  readPairsOf(conversion, media, readPairs(text, '&'));

/** Reads `multipart/form-data`; undefined for another body. A file is its text if it is JSON, else an empty text. */
export async function readMultipart(
  conversion: Conversion,
  media: Readonly<Record<string, unknown>>,
  body: BodyInit,
  type: string,
): Promise<Record<string, unknown> | undefined> {
  const form = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => undefined);
  if (form === undefined) return undefined;
  const pairs: (readonly [string, string])[] = [];
  for (const [name, part] of form) {
    const text = typeof part === 'string' ? part : isJson(part.type) ? await part.text() : '';
    pairs.push([name, encodeURIComponent(text)]);
  }
  return readPairsOf(conversion, media, pairs);
}
