import type { StandardSchema } from '../connection/schema.js';
import { InvalidArgumentError } from '../errors.js';
import { expected } from '../lib/readers.js';
import { accepting, optional, type Read, type Reader, type Readers, readObject } from './arguments.js';

export const text = accepting<string>('text', (value) => typeof value === 'string');
export const number = accepting<number>('a number', (value) => typeof value === 'number');
/** Text, empty where it is missing. */
export const note = optional(text, '');

/** A list, empty where it is missing. */
export const many =
  <T>(reader: Reader<T>): Reader<T[]> =>
  (value = [], field) => {
    if (!Array.isArray(value)) throw expected(field, 'an array', value);
    return value.map((item, index) => reader(item, `${field}[${index}]`));
  };

/** An object, whose fields go by their camelCase names or the snake_case ones; `null` is missing, unknown ones do not count. */
export const shape =
  <R extends Readers>(readers: R): Reader<Read<R>> =>
  (value, field) => {
    const given = new Map<string, unknown>(Object.entries(readObject(value, field)));
    const fields: Record<string, unknown> = {};
    for (const [name, reader] of Object.entries(readers)) {
      const found = given.get(name) ?? given.get(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
      fields[name] = reader(found ?? undefined, field === '' ? name : `${field}.${name}`);
    }
    return fields as Read<R>;
  };

/** What a reader reads, as something else. */
export const mapped =
  <T, U>(reader: Reader<T>, map: (read: T) => U): Reader<U> =>
  (value, field) =>
    map(reader(value, field));

/** The schema of an answer, for the connection. What the reader refuses becomes an issue, which never quotes a value. */
export const schemaOf = <T>(reader: Reader<T>): StandardSchema<T> => ({
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
