import { parseDuration } from '../../lib/duration.js';
import { describeValue, loneSurrogate } from '../../lib/values.js';
import type { FidelityRules } from '../fidelity.js';
import type { Exchange } from './exchange.js';
import { ServiceFailure } from './http.js';
import { duplicate, parseMessage } from './message-json.js';

// Reading of request messages as the services' protobuf JSON does it: a missing field and `null` are its zero value,
// an unknown field is ignored, a wrong type is InvalidArgument. What was sent is never quoted.

/** The fields of a message. */
export type Fields = Readonly<Record<string, unknown>>;

/** The refusal of a field's value. */
export function wrong(field: string, wanted: string, value: unknown): ServiceFailure {
  if (value === duplicate) return new ServiceFailure(3, `duplicate field "${field.replace(/^.*\./, '')}"`);
  // A number can be a password that somebody forgot to quote.
  const got = typeof value === 'number' ? 'a number' : describeValue(value);
  return new ServiceFailure(3, `invalid value for field ${field}: expected ${wanted}, got ${got}`);
}

/** A text that may be left out. */
export function optionalText(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrong(field, 'text', value);
  if (loneSurrogate.test(value))
    throw new ServiceFailure(3, `invalid value for field ${field}: not well-formed Unicode`);
  return value;
}

/** A text, empty when it is left out. */
export function text(value: unknown, field: string): string {
  return optionalText(value, field) ?? '';
}

/** A truth value, false when it is left out. */
export function flag(value: unknown, field: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw wrong(field, 'true or false', value);
  return value;
}

/** A list of texts; `null` in it is refused. */
export function texts(value: unknown, field: string): string[] {
  return list(value, field, (item, path) => {
    if (typeof item !== 'string') throw wrong(path, 'text', item);
    return text(item, path);
  });
}

/** A list, empty when it is left out. */
export function list<T>(value: unknown, field: string, read: (item: unknown, path: string) => T): T[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong(field, 'a list', value);
  return value.map((item, i) => read(item, `${field}[${i}]`));
}

/** A message inside a message; undefined when it is left out. */
export function optionalMessage(value: unknown, field: string): Fields | undefined {
  return value === undefined || value === null ? undefined : message(value, field);
}

/** A message that has to be there. */
export function message(value: unknown, field: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(field, 'an object', value);
  // Own fields only: what somebody added to Object.prototype is no field. Each one is checked where it is read.
  return { __proto__: null, ...value } as Fields;
}

/** The message that a body is; no body is an empty message. */
export function bodyMessage(exchange: Exchange, { fidelity }: { readonly fidelity: FidelityRules }): Fields {
  const json = parseMessage(exchange.text, !fidelity.refusesRest);
  return json === undefined ? {} : message(json, 'body');
}

const seconds = /^[+-]?\d+(?:\.\d{1,9})?s$/;
// The range of google.protobuf.Duration.
const longestMs = 315_576_000_000_000;

/**
 * A duration in milliseconds: seconds (`90.5s`), and where the fidelity takes them the specification's units (`1h`).
 */
export function optionalDuration(value: unknown, field: string, { lifetimeUnits }: FidelityRules): number | undefined {
  const given = optionalText(value, field);
  if (given === undefined) return undefined;
  const ms = seconds.test(given) ? Number(given.slice(0, -1)) * 1000 : lifetimeUnits ? parseDuration(given) : undefined;
  if (ms === undefined || Math.abs(ms) > longestMs) throw wrong(field, 'a duration', value);
  return ms;
}

/** The parameters of a query, whose escapes have to be right. */
export function readQuery({ request: { query } }: Exchange): URLSearchParams {
  const [wrongEscape] = /%(?![\da-fA-F]{2})[^&]{0,2}/.exec(query) ?? [];
  if (wrongEscape !== undefined) throw new ServiceFailure(3, `invalid URL escape ${JSON.stringify(wrongEscape)}`);
  return new URLSearchParams(query);
}

/** The parameters that a GET knows, each at most once. */
export function queryText(query: URLSearchParams, ...names: readonly string[]): string | undefined {
  const values = names.flatMap((name) => query.getAll(name));
  if (values.length > 1) throw new ServiceFailure(3, `too many values for field "${names[0]}": ${values.join(', ')}`);
  return values[0];
}

/** A 32-bit whole number of a query. */
export function queryInteger(query: URLSearchParams, ...names: readonly string[]): number | undefined {
  const given = queryText(query, ...names);
  if (given === undefined) return undefined;
  const number = /^[+-]?\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
  if (!(number >= -2_147_483_648 && number <= 2_147_483_647)) {
    throw new ServiceFailure(3, `parsing field "${names[0]}": invalid syntax`);
  }
  return number;
}
