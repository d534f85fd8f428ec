import { isObject } from './values.js';

const inOrder = (_name: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** JSON with the fields of objects in order, so that equal values have equal texts. */
export const stableJson = (value: unknown): string => JSON.stringify(value, inOrder);
