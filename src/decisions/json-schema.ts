import * as z from 'zod/mini';
import { createLineSchema } from './line-schema.js';

/** The JSON Schema (draft 7) of a line of a decision log. */
export const createDecisionSchema = (): z.core.JSONSchema.JSONSchema =>
  z.toJSONSchema(createLineSchema(), { target: 'draft-7' });
