import {
  optional,
  type Reader,
  readFilledText,
  readObject,
  readText,
  strictObject,
  transform,
} from '../../../base/lib/readers.js';
import type { EvaluationItem } from '../../../policy/model/model.js';

// A copy, because a batch is sent later.
const readContext: Reader<object> = transform(readObject, (context) => structuredClone(context));

export const itemFields = { action: readFilledText, resource: readText, context: optional(readContext) };

/** Reads an item without a subject. */
export const readItem = strictObject(itemFields) as Reader<EvaluationItem>;
