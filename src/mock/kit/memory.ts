import { isPlainObject } from '../../base/lib/values.js';

// Estimates memory in bytes, for the limit of the request log. Strings count two bytes per UTF-16 unit.

/** The estimate of an object without its fields. */
export const perObject = 64;
const perField = 16;

/** Estimates a text. */
export const textBytes = (text: string): number => perField + 2 * text.length;

/** Estimates a value without cycles: strings, arrays and plain objects with their content, others as one object. */
export function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (typeof value !== 'object' || value === null) return perField;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + perField + estimateBytes(item), perObject);
  if (!isPlainObject(value)) return perObject;
  let bytes = perObject;
  for (const [name, item] of Object.entries(value)) bytes += textBytes(name) + estimateBytes(item);
  return bytes;
}
