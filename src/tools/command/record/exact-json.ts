import { isDeeper } from '../../../base/lib/json-depth.js';
import { findTwice } from '../../../base/lib/json-file.js';
import { jsonOf } from '../../../mock/recordings/body-bytes.js';

/** The levels of JSON that recordings hold. */
export const deepest = 200;

/** The reason why an exchange is not kept. */
export class Unkept extends Error {}

export function refuseDepth(): never {
  throw new Unkept(`it has JSON of more than ${deepest} levels`);
}

/** Stands in front of a number that JavaScript cannot hold, or writes in another way. */
const mark = '\uffff#';
const marked = /"\uffff#(-?[\d.eE+-]+)"/g;

/** Reads JSON with its numbers as they were written; undefined if it is not JSON. */
export function parseExactly(json: string): unknown {
  const value = jsonOf(json);
  if (value === undefined) return undefined;
  if (isDeeper(json, deepest)) return refuseDepth();
  if (!/\d/.test(json)) return value;
  // The cast: the types of the library do not know the third argument yet.
  const reviver = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
      ? mark + context.source
      : value;
  return JSON.parse(json, reviver as (key: string, value: unknown) => unknown);
}

/** Writes such a value. */
const writeExactly = (value: unknown): string => JSON.stringify(value).replace(marked, '$1');

/** True if a value has such a number. */
export const isMarked = (value: unknown): boolean => JSON.stringify(value)?.includes(`"${mark}`) === true;

/** Writes a rewritten value; the text as it was if it says the same. */
export function writeChanged(replacement: unknown, value: unknown, json: string): string {
  const after = writeExactly(replacement);
  // Of a key that stands twice, only the last value was read.
  return after === writeExactly(value) && findTwice(json) === undefined ? json : after;
}
