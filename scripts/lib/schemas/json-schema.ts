import * as z from 'zod/mini';

export type JsonSchema = z.core.JSONSchema.JSONSchema;
/** JSON Schema for the custom rules of schemas, as far as it can express them. */
export type SchemaRules = ReadonlyMap<z.core.$ZodType, JsonSchema>;

export const draft7 = 'http://json-schema.org/draft-07/schema#';

// A valid pattern has no segment that begins and ends with "*", except "*" itself.
const parsable = String.raw`(?!(?:[\s\S]*:)?\*[^:]*\*(?::|$))`;

/** The rules of an action and of a resource of a statement. */
export const actionRule: JsonSchema = { pattern: String.raw`^(?:\*|${parsable}[^:]+:[^:]+)$` };
export const resourceRule: JsonSchema = { pattern: String.raw`^(?:\*|${parsable}[\s\S]+)$` };

/** Converts the input of a schema of zod to JSON Schema (draft 7), with `rules` for what zod cannot convert. */
export function toJsonSchema(schema: z.core.$ZodType, rules: SchemaRules = new Map()): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const { def } = zodSchema._zod;
      Object.assign(jsonSchema, rules.get(zodSchema));
      const map = mapOf(def);
      if (map !== undefined) {
        Object.assign(jsonSchema, {
          type: 'object',
          propertyNames: toJsonSchema(map.keyType, rules),
          additionalProperties: toJsonSchema(map.valueType, rules),
        });
      }
      // An omitted section has all its defaults, so there is no default to name.
      if (def.type === 'prefault') delete jsonSchema.default;
    },
  });
  return json;
}

/** The definition of a Map, or of an object that is converted to one; undefined for others. */
function mapOf(def: z.core.$ZodTypeDef): z.core.$ZodMapDef | undefined {
  // The casts: definitions of these types.
  if (def.type === 'map') return def as z.core.$ZodMapDef;
  return def.type === 'pipe' ? mapOf((def as z.core.$ZodPipeDef).out._zod.def) : undefined;
}
