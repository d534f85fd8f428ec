import type { ValueType } from './parameter-schema.js';

/** True for the only accepted text of a value, like `7` but not `07`, so that no two texts have the same value. */
export type IsPlain = (text: string) => boolean;

/** True if a text is the way in which JavaScript writes a number, and a double holds it exactly. */
export const isNumberText: IsPlain = (text) => String(Number(text)) === text && Math.abs(Number(text)) < 2 ** 53;

const isInteger: IsPlain = (text) => isNumberText(text) && !/\D/.test(text.slice(1));

/** The shortest text of a float of 32 bits: `0.10000000149011612` is rounded to the same one as `0.1`. */
function isFloat(text: string): boolean {
  const value = Math.fround(Number(text));
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((count) => Math.fround(Number(value.toPrecision(count))) === value);
  return isNumberText(text) && String(Number(value.toPrecision(digits))) === text;
}

/** True for a UTC time that exists, with at most three digits of a fraction (a `Date` drops more), the last not 0. */
const isMoment: IsPlain = (text) =>
  /^\d{4}-/.test(text) && new Date(text).toJSON()?.replace(/(?:\.000|0{1,2})Z$/, 'Z') === text;

/** The host of a URL in the form of the URL standard; empty if there is none. */
const hostOf = (host: string) => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '');

const isIpv4: IsPlain = (text) => /^[\d.]+$/.test(text) && hostOf(text) === text;

/** RFC 5952: an address that holds one of IPv4 ends with it, which the URL standard writes as hexadecimal digits. */
function isIpv6(text: string): boolean {
  const [, mapped] = /^::ffff:([^:.]+(?:\..*|:[^:]+))$/.exec(text) ?? [];
  return mapped === undefined ? hostOf(`[${text}]`) === `[${text}]` : isIpv4(mapped);
}

const isUuid: IsPlain = (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

/** With padding, without bits that a decoder drops, and no number: springdoc writes a `Byte` as `byte`, too. */
const isBase64: IsPlain = (text) =>
  Number.isNaN(Number(text)) &&
  /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/][AQgw]==|[A-Za-z\d+/]{2}[AEIMQUYcgkosw048]=)?$/.test(text);

const types: ReadonlyMap<unknown, IsPlain> = new Map([
  ['string', (text) => text.trim() === text],
  ['boolean', (text) => text === 'true' || text === 'false'],
  ['integer', isInteger],
  ['number', isNumberText],
]);

const formatsOfNumbers: ReadonlyMap<unknown, IsPlain> = new Map([
  ['int32', isInteger],
  ['int64', isInteger],
  ['float', isFloat],
  ['double', isNumberText],
]);

const formatsOfTexts: ReadonlyMap<unknown, IsPlain> = new Map([
  ['date', (text) => isMoment(`${text}T00:00:00Z`)],
  ['time', (text) => isMoment(`1970-01-01T${text}`)],
  ['date-time', isMoment],
  ['uuid', isUuid],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['byte', isBase64],
]);

/** Returns the check of a type's texts; undefined if its values may have several texts, or its format is not known. */
export function formOf({ type, format }: ValueType): IsPlain | undefined {
  if (format === undefined) return types.get(type);
  return (type === 'string' ? formatsOfTexts.get(format) : undefined) ?? formatsOfNumbers.get(format);
}
