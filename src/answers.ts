import type { Read, Reader, Readers } from './arguments.js';
import type { StandardSchema } from './connection/schema.js';
import { expected, InvalidArgumentError } from './errors.js';

const typed =
  <T>(type: 'string' | 'number' | 'boolean', accepted: string): Reader<T> =>
  (value, field) => {
    // The cast: its type was just looked at.
    if (typeof value === type) return value as T;
    throw expected(field, accepted, value);
  };

export const text = typed<string>('string', 'text');
export const number = typed<number>('number', 'a number');
export const flag = typed<boolean>('boolean', 'true or false');

/** A field that may be missing. */
export function optional<T>(reader: Reader<T>): Reader<T | undefined>;
export function optional<T, D>(reader: Reader<T>, otherwise: D): Reader<T | D>;
export function optional<T>(reader: Reader<T>, otherwise?: T): Reader<T | undefined> {
  return (value, field) => (value === undefined ? otherwise : reader(value, field));
}

/** A list, empty where it is missing. */
export const many =
  <T>(reader: Reader<T>): Reader<T[]> =>
  (value = [], field) => {
    if (!Array.isArray(value)) throw expected(field, 'an array', value);
    return value.map((item, index) => reader(item, `${field}[${index}]`));
  };

/** An object, whose fields go by their camelCase names or the snake_case ones; `null` is missing, unknown ones do not count. */
export const shape =
  <R extends Readers, T>(readers: R, map: (fields: Read<R>) => T): Reader<T> =>
  (value, field) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw expected(field, 'an object', value);
    const given = new Map<string, unknown>(Object.entries(value));
    const fields: Record<string, unknown> = {};
    for (const [name, reader] of Object.entries(readers)) {
      const found = given.get(name) ?? given.get(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
      fields[name] = reader(found ?? undefined, field === '' ? name : `${field}.${name}`);
    }
    return map(fields as Read<R>);
  };

/** A schema of an answer, for the connection. What a reader refuses becomes an issue, which never quotes a value. */
export const answer = <T>(reader: Reader<T>): StandardSchema<T> => ({
  '~standard': {
    version: 1,
    vendor: 'arango-services',
    validate: (value) => {
      try {
        return { value: reader(value, '') };
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        const path = [...error.field.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d/.test(part) ? Number(part) : part));
        return { issues: [{ path, message: error.message.replace(/^.*?: (.*), got .*/, '$1') }] };
      }
    },
  },
});
