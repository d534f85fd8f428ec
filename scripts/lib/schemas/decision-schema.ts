import { draft7, type JsonSchema, toJsonSchema } from './json-schema.ts';
import { createLineSchema } from './line-schema.ts';

/** The JSON Schema (draft 7) of a line of a decision log. */
export const createDecisionSchema = (): JsonSchema => ({ $schema: draft7, ...toJsonSchema(createLineSchema()) });
