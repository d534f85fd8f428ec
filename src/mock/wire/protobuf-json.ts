import { parseDuration } from '../../base/lib/duration.js';
import { describeValue, loneSurrogate } from '../../base/lib/values.js';
import type { FidelityRules } from '../fidelity-rules.js';
import { ServiceFailure } from './http.js';
import { duplicate, parseMessage } from './message-json.js';
import type { Exchange } from './mock-exchange.js';

// Reads request messages as the services' protobuf JSON: a missing field and `null` are its zero value, an unknown
// field is ignored, a wrong type is InvalidArgument. Values are never quoted.

/** The fields of a message. */
export type MessageFields = Readonly<Record<string, unknown>>;

/** The error for an invalid field. */
export function wrong(field: string, wanted: string, value: unknown): ServiceFailure {
  if (value === duplicate) return new ServiceFailure(3, `duplicate field "${field.replace(/^.*\./, '')}"`);
  // A number may be an unquoted password.
  const got = typeof value === 'number' ? 'a number' : describeValue(value);
  return new ServiceFailure(3, `invalid value for field ${field}: expected ${wanted}, got ${got}`);
}

export function optionalText(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrong(field, 'a string', value);
  if (loneSurrogate.test(value)) throw wrong(field, 'well-formed Unicode', value);
  return value;
}

/** A text; empty if omitted. */
export const text = (value: unknown, field: string): string => optionalText(value, field) ?? '';

/** A boolean; false if omitted. */
export function flag(value: unknown, field: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw wrong(field, 'true or false', value);
  return value;
}

/** A list of texts; `null` in it is refused. */
export function texts(value: unknown, field: string): string[] {
  return list(value, field, (item, path) => {
    if (typeof item !== 'string') throw wrong(path, 'a string', item);
    return text(item, path);
  });
}

/** A list; empty if omitted. */
export function list<T>(value: unknown, field: string, read: (item: unknown, path: string) => T): T[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong(field, 'a list', value);
  return value.map((item, i) => read(item, `${field}[${i}]`));
}

/** A nested message; undefined if omitted. */
export function optionalMessage(value: unknown, field: string): MessageFields | undefined {
  return value === undefined || value === null ? undefined : message(value, field);
}

/** A required message. */
export function message(value: unknown, field: string): MessageFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(field, 'an object', value);
  // Own fields only, so that additions to Object.prototype are ignored. Each field is checked when it is read.
  return { __proto__: null, ...value } as MessageFields;
}

/** The message in a body; an empty message without a body. */
export function bodyMessage(exchange: Exchange, { fidelity }: { readonly fidelity: FidelityRules }): MessageFields {
  const json = parseMessage(exchange.text, !fidelity.refusesRest);
  return json === undefined ? {} : message(json, 'body');
}

const seconds = /^[+-]?(?:0|[1-9]\d*|(?=\.))(?:\.\d{0,9})?s$/;
// The range of google.protobuf.Duration.
const longestMs = 315_576_000_000_000;

/** A duration in milliseconds: seconds (`90.5s`) and, if the fidelity takes them, the specification's units (`1h`). */
export function optionalDuration(value: unknown, field: string, { lifetimeUnits }: FidelityRules): number | undefined {
  const duration = optionalText(value, field);
  if (duration === undefined) return undefined;
  // `.s` is zero, too.
  const ms = seconds.test(duration)
    ? (Number(duration.slice(0, -1)) || 0) * 1000
    : lifetimeUnits
      ? parseDuration(duration)
      : undefined;
  if (ms === undefined || Math.abs(ms) > longestMs) throw wrong(field, 'a duration', value);
  return ms;
}

/** The parameters of a query. */
export function readQuery({ request: { query } }: Exchange): URLSearchParams {
  checkForm(query);
  return new URLSearchParams(query);
}

/** Refuses a query or form with a semicolon or an invalid escape. */
export function checkForm(query: string): void {
  if (query.includes(';')) throw new ServiceFailure(3, 'invalid semicolon separator in query');
  const [wrongEscape] = /%(?![\da-fA-F]{2})[^&]{0,2}/.exec(query) ?? [];
  if (wrongEscape !== undefined) throw new ServiceFailure(3, `invalid URL escape ${JSON.stringify(wrongEscape)}`);
}

/** A parameter of a query by any of its names, given at most once, neither as a map nor as a message. */
export function queryText(query: URLSearchParams, ...names: readonly string[]): string | undefined {
  const values = [...query].flatMap(([key, value]) => {
    const [, name = key, ...index] = /^(.*)\[([^[]*)\]$/.exec(key) ?? [];
    const [field = '', below] = name.split('.');
    if (!names.includes(field)) return [];
    return below === undefined ? [...index, value] : [below, value];
  });
  if (values.length > 1) throw new ServiceFailure(3, `too many values for field "${names[0]}": ${values.join(', ')}`);
  return values[0];
}

/** True for a number that an enum's field, and any of 32 bits, may hold. */
export const isInt32 = (value: unknown): boolean => typeof value === 'number' && (value | 0) === value;

/** A 32-bit integer in a query. */
export function queryInteger(query: URLSearchParams, ...names: readonly string[]): number | undefined {
  const numeral = queryText(query, ...names);
  if (numeral === undefined) return undefined;
  const number = Number(numeral);
  if (/^[+-]?\d+$/.test(numeral) && isInt32(number)) return number;
  throw new ServiceFailure(3, `parsing field "${names[0]}": invalid syntax`);
}
