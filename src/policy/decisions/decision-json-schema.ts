import { draft7, type JsonSchema, toJsonSchema } from '../../base/lib/json-schema.js';
import { createLineSchema } from './line-schema.js';

/** The JSON Schema (draft 7) of a line of a decision log. */
export const createDecisionSchema = (): JsonSchema => ({ $schema: draft7, ...toJsonSchema(createLineSchema()) });
