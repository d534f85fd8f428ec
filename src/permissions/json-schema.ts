import { describeFile, type FileBuilder } from './format/file-schema.js';
import { describeTests } from './tests/test-schema.js';

/** The part of JSON Schema (draft 7) that a file of permissions needs. */
interface JsonSchema {
  readonly [keyword: string]: unknown;
}

// No segment begins and ends with "*", except "*" itself.
const parsable = String.raw`(?!(?:[\s\S]*:)?\*[^:]*\*(?::|$))`;
const textOf = (pattern?: string): JsonSchema => ({ type: 'string', ...(pattern && { pattern }) });
const steps = String.raw`(?!(?:[\s\S]*\\)?\.{1,2}(?:\\|$))`;
const name: JsonSchema = { type: 'string', minLength: 1, maxLength: 1_024, pattern: `^${steps}[^/\\u0000]*$` };
const resource = textOf(String.raw`^(?:\*|${parsable}[\s\S]+)$`);

const schemas: FileBuilder<JsonSchema> = {
  effect: { type: 'string', enum: ['Allow', 'Deny'] },
  action: textOf(String.raw`^(?:\*|${parsable}[^:]+:[^:]+)$`),
  resource,
  name,
  text: textOf(),
  file: { type: 'string', minLength: 1 },
  pattern: resource,
  object: (properties, required) => ({
    type: 'object',
    properties,
    additionalProperties: false,
    ...(required.length > 0 && { required }),
  }),
  list: (items) => ({ type: 'array', items }),
  named: (additionalProperties) => ({ type: 'object', propertyNames: name, additionalProperties }),
  optional: (schema) => schema,
  scope: (policy) => ({ anyOf: [name, { type: 'null' }, policy] }),
};

const draft7 = 'http://json-schema.org/draft-07/schema#';

/** The JSON Schema of a file of permissions, for editors. */
export const createPermissionsSchema = (): JsonSchema => ({
  $schema: draft7,
  title: 'Permissions of an ArangoDB deployment',
  ...describeFile(schemas),
});

/** The JSON Schema of a file of tests of permissions, for editors. */
export const createTestsSchema = (): JsonSchema => ({
  $schema: draft7,
  title: 'Tests of permissions of an ArangoDB deployment',
  ...describeTests({ ...schemas, askedAction: textOf('^[^:*]+:[^:*]+$'), askedResource: textOf('^[^*]*$') }),
});
