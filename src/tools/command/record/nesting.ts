import { jsonOf, textOf } from '../../../mock/recordings/body-bytes.js';

/** The levels of JSON that recordings hold. */
export const deepest = 200;

/** True if arrays and objects are nested more deeply. */
function isDeep(value: unknown): boolean {
  const holders = (list: readonly unknown[]): unknown[] =>
    list.filter((one) => typeof one === 'object' && one !== null);
  let level = holders([value]);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > deepest) return true;
    level = holders(level.flatMap((one) => Object.values(Object(one))));
  }
  return false;
}

/** True if a body is JSON, or has lines of it, with more levels than recordings hold. */
export function isNestedTooDeeply(body: Buffer): boolean {
  const text = textOf(body) ?? '';
  // Each level has a bracket.
  if ((text.match(/[[{]/g)?.length ?? 0) <= deepest) return false;
  const lines = text.split('\n').map((line) => line.replace(/^(?:data:[ ]?|\p{Cc})/u, ''));
  return [text, ...lines].some((one) => /^\s*[[{]/.test(one) && isDeep(jsonOf(one)));
}
