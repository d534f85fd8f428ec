import { Ajv2020 } from 'ajv/dist/2020.js';

type Fields = Record<string, unknown>;
type Verdict = (value: unknown, schema: unknown) => boolean | undefined;

/**
 * Returns the verdict of another validator over the schemas of a document as they are written; undefined for a schema
 * that it cannot compile, like the boolean `exclusiveMinimum` of OpenAPI 3.0.
 * @param hidden the mark of the properties that this direction does not require
 */
export function otherValidator({ components, paths }: Fields, hidden: 'readOnly' | 'writeOnly'): Verdict {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false });
  const known = new Map<unknown, ((value: unknown) => boolean) | undefined>();
  const relax = (_: string, part: unknown): unknown => {
    const { required, properties } = Object(part) as Fields;
    if (!Array.isArray(required) || typeof properties !== 'object') return part;
    const isHidden = (name: string) => Object(Object(properties)[name])[hidden] === true;
    return { ...(part as Fields), required: required.filter((name) => !isHidden(name)) };
  };
  const compile = (schema: unknown) => {
    try {
      return ajv.compile(JSON.parse(JSON.stringify({ allOf: [schema], components, paths }), relax));
    } catch {
      return undefined;
    }
  };
  return (value, schema) => {
    if (!known.has(schema)) known.set(schema, compile(schema));
    return known.get(schema)?.(value);
  };
}
