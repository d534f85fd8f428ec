import type { StandardSchema } from './connection/schema.js';
import type { SchemaIssue } from './errors.js';

/** Stops the reading of an answer that does not have the shape it must have. */
class Fault {
  readonly issue: SchemaIssue;
  constructor(issue: SchemaIssue) {
    this.issue = issue;
  }
}

type Test<T> = (value: unknown) => value is T;

const isText: Test<string> = (value) => typeof value === 'string';
const isTexts: Test<string[]> = (value) => Array.isArray(value) && value.every(isText);
const isNumber: Test<number> = (value) => typeof value === 'number';

/** One object of an answer. Its fields are found by their camelCase names or the snake_case ones; `null` is not set. */
export class Fields {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #path: readonly PropertyKey[];

  constructor(value: unknown, path: readonly PropertyKey[] = []) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fault('an object', value, path);
    this.#value = value as Readonly<Record<string, unknown>>;
    this.#path = path;
  }

  /** A field that passes the test. Without `otherwise` it must be set. */
  read<T, O = never>(name: string, accepted: string, test: Test<T>, otherwise?: O): T | O {
    const value = this.#get(name);
    if (value === undefined && otherwise !== undefined) return otherwise;
    if (test(value)) return value;
    throw this.fault(name, accepted);
  }

  text(name: string, otherwise?: string): string {
    return this.read(name, 'text', isText, otherwise);
  }

  texts(name: string): string[] {
    return this.read(name, 'an array of texts', isTexts, []);
  }

  number(name: string, otherwise?: number): number {
    return this.read(name, 'a number', isNumber, otherwise);
  }

  /** Whatever a field holds; undefined where it is not set. */
  value(name: string): unknown {
    return this.#get(name);
  }

  /** A nested object; undefined where it is not set. */
  object(name: string): Fields | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : new Fields(value, [...this.#path, name]);
  }

  /** A list of objects; empty where it is not set. */
  objects(name: string): Fields[] {
    const value = this.read<readonly unknown[], unknown[]>(name, 'an array', Array.isArray, []);
    return value.map((item, index) => new Fields(item, [...this.#path, name, index]));
  }

  fault(name: string, accepted: string): Fault {
    return fault(accepted, this.#get(name), [...this.#path, name]);
  }

  #get(name: string): unknown {
    const names = [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
    const found = names.find((one) => Object.hasOwn(this.#value, one));
    return found === undefined ? undefined : (this.#value[found] ?? undefined);
  }
}

/** Says the kind of a value only: what the server sent may be a secret. */
function fault(accepted: string, value: unknown, path: readonly PropertyKey[]): Fault {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
  return new Fault({ message: `expected ${accepted}, got ${kind}`, path });
}

/** A schema of an answer, for the connection. */
export const answer = <T>(read: (fields: Fields) => T): StandardSchema<T> => ({
  '~standard': {
    version: 1,
    vendor: 'arango-services',
    validate: (value) => {
      try {
        return { value: read(new Fields(value)) };
      } catch (error) {
        if (error instanceof Fault) return { issues: [error.issue] };
        throw error;
      }
    },
  },
});
