import type * as z from 'zod/mini';
import { durationPattern } from '../../../src/base/lib/duration.ts';
import { momentPattern } from '../../../src/base/lib/moment.ts';
import {
  action,
  anyEffect,
  createSchema,
  duration,
  headers,
  limit,
  method,
  moment,
  name,
  path,
  resource,
  serviceName,
  status,
} from '../../../src/mock/config/config-schema.ts';
import { fidelities } from '../../../src/mock/fidelity-rules.ts';
import { actionRule, draft7, type JsonSchema, resourceRule, type SchemaRules, toJsonSchema } from './json-schema.ts';

const rules: SchemaRules = new Map<z.core.$ZodType, JsonSchema>([
  [name, { minLength: 1 }],
  [serviceName, { pattern: String.raw`^(?!\.\.?$)[\w.-]+$` }],
  [limit, { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }],
  [duration, { pattern: durationPattern.source }],
  [moment, { pattern: momentPattern.source }],
  [action, actionRule],
  [resource, resourceRule],
  [method, { pattern: String.raw`^(?![cC][oO][nN][nN][eE][cC][tT]$)[!#$%&'*+\-.^_\`|~\w]+$`.replaceAll('\\`', '`') }],
  [path, { pattern: '^/' }],
  [status, { type: 'integer', minimum: 200, maximum: 599 }],
  [headers, { type: 'object', additionalProperties: { type: 'string' } }],
  [anyEffect, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
]);

/**
 * The JSON Schema (draft 7) of a seed file, generated from the schema that checks it. Policies depend on the fidelity,
 * so the properties that differ are conditional.
 */
export function createSeedSchema(): JsonSchema {
  const { properties: strict = {}, ...rest } = toJsonSchema(createSchema(fidelities.documented), rules);
  const { properties: lenient = {} } = toJsonSchema(createSchema(fidelities.sidecar), rules);
  const differing = Object.keys(strict).filter(
    (name) => JSON.stringify(strict[name]) !== JSON.stringify(lenient[name]),
  );
  const pick = (from: typeof strict): JsonSchema => ({
    properties: Object.fromEntries(differing.map((name) => [name, from[name] ?? true])),
  });
  return {
    $schema: draft7,
    title: 'Seed file of the arango-services mock',
    ...rest,
    properties: { ...strict, ...Object.fromEntries(differing.map((name) => [name, true])) },
    if: { properties: { fidelity: { const: 'sidecar' } }, required: ['fidelity'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: pick(lenient),
    else: pick(strict),
  };
}
