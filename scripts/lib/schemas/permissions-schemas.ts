import type * as z from 'zod/mini';
import { createFileSchema } from '../../../src/permissions/format/file-schema.ts';
import { database, pair, pairs, requestSchema } from '../../../src/permissions/format/scope-schema.ts';
import { action, file, key, name, pathKey, resource } from '../../../src/permissions/format/value-schemas.ts';
import {
  createHoldsFileSchema,
  filled,
  holdSchema,
  time,
  timePattern,
} from '../../../src/permissions/holds/hold-schema.ts';
import { askedAction, askedResource, createTestsFileSchema } from '../../../src/permissions/tests/test-schema.ts';
import { scopeFields } from '../../../src/policy/model/scope-faults.ts';
import { actionRule, draft7, type JsonSchema, resourceRule, type SchemaRules, toJsonSchema } from './json-schema.ts';

const steps = String.raw`(?!(?:[\s\S]*\\)?\.{1,2}(?:\\|$))`;
const nameRule: JsonSchema = { minLength: 1, maxLength: 1_024, pattern: `^${steps}[^/\\u0000]*$` };

const rules: SchemaRules = new Map<z.core.$ZodType, JsonSchema>([
  [name, nameRule],
  [key, nameRule],
  [action, actionRule],
  [resource, resourceRule],
  [file, { minLength: 1 }],
  [pathKey, { pattern: String.raw`^(?![/]|[A-Za-z][A-Za-z0-9+.-]*:|$)(?!.*\\)(?!(?:.*/)?\.\.(?:/|$))` }],
  [time, { pattern: timePattern.source }],
  [filled, { pattern: String.raw`\S` }],
  [database, { pattern: '^[^:*/]+$' }],
  [pair, { pattern: '^[^:*/]+/[^:*/]+$' }],
  [pairs, { minItems: 1 }],
  [
    requestSchema,
    { oneOf: scopeFields.map((field) => ({ required: [field] })), dependencies: { admin: ['database'] } },
  ],
  [holdSchema, { oneOf: [{ required: ['user'] }, { required: ['group'] }] }],
  [askedAction, { pattern: '^[^:*]+:[^:*]+$' }],
  [askedResource, { pattern: '^[^*]*$' }],
]);

/** The JSON Schema of a file of permissions, for editors. */
export const createPermissionsSchema = (): JsonSchema => ({
  $schema: draft7,
  title: 'Permissions of an ArangoDB deployment',
  ...toJsonSchema(createFileSchema(), rules),
});

/** The JSON Schema of a file of tests of permissions, for editors. */
export const createTestsSchema = (): JsonSchema => ({
  $schema: draft7,
  title: 'Tests of permissions of an ArangoDB deployment',
  ...toJsonSchema(createTestsFileSchema(), rules),
});

/** The JSON Schema of the users or groups of the last apply (`--users-file`, `--groups-file`). */
export const createOwnersSchema = (): JsonSchema => ({
  $schema: draft7,
  title: 'Users or groups of the last apply of permissions',
  type: 'array',
  items: { type: 'string', ...nameRule },
});

/** The JSON Schema of a file of holds, for editors. */
export const createHoldsSchema = (): JsonSchema => ({
  $schema: draft7,
  title: 'Revocations that plans of permissions respect',
  ...toJsonSchema(createHoldsFileSchema(), rules),
});
