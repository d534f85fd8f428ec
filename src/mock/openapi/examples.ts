import { isObject } from '../../base/lib/values.js';
import { follow } from '../../base/openapi-document/reference.js';

/** The first value of `examples`, or of `example`, of a media type or a schema. */
function ownExample(document: unknown, holder: Readonly<Record<string, unknown>>): unknown {
  if (holder.example !== undefined) return holder.example;
  const { examples } = holder;
  if (Array.isArray(examples)) return examples[0];
  if (!isObject(examples)) return undefined;
  return follow(document, Object.values(examples)[0])?.value;
}

/** An example of a schema: its own, else one of its parts; undefined if a required part has none. */
function ofSchema(document: unknown, schema: unknown, depth = 0): unknown {
  const definition = follow(document, schema);
  if (definition === undefined || depth > 16) return undefined;
  const example = ownExample(document, definition) ?? definition.const ?? definition.default;
  if (example !== undefined) return example;
  if (definition.items !== undefined) {
    const item = ofSchema(document, definition.items, depth + 1);
    return item === undefined ? undefined : [item];
  }
  const { properties, required } = definition;
  if (!isObject(properties)) return undefined;
  const fields = Object.entries(properties)
    .map(([name, property]) => [name, ofSchema(document, property, depth + 1)] as const)
    .filter(([, value]) => value !== undefined);
  const names = new Set(fields.map(([name]) => name));
  const isWhole = (Array.isArray(required) ? required : []).every((name) => names.has(String(name)));
  return isWhole && fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

export function exampleOf(document: unknown, content: unknown): { type: string; value: unknown } | undefined {
  for (const [type, media] of isObject(content) ? Object.entries(content) : []) {
    if (!isObject(media)) continue;
    const value = ownExample(document, media) ?? ofSchema(document, media.schema);
    if (value !== undefined) return { type, value };
  }
  return undefined;
}
