import type { OutputUnit, Validator } from '@cfworker/json-schema';
import { Validator as JsonValidator } from '#json-schema';
import { InvalidArgumentError } from '../../base/errors.js';
import { remember } from '../../base/lib/remember.js';
import { isObject } from '../../base/lib/values.js';
import { decodePointer } from '../../base/openapi-document/reference.js';
import { type Direction, toJsonSchema } from './to-json-schema.js';

/** A violation of a schema. It never quotes the value. */
export interface Violation {
  /** The place in the value: `['lines', 0, 'sku']`. */
  readonly place: readonly (string | number)[];
  readonly keyword: string;
  readonly message: string;
}

/** Keywords that only report that a keyword below them failed. */
const wrappers = new Set([
  'properties',
  'items',
  'prefixItems',
  '$ref',
  'allOf',
  'additionalProperties',
  'patternProperties',
  'if',
  '$dynamicRef',
]);
/** Keywords whose messages quote a number of the value. */
const quoting = /^(?:minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf)$/;

const placeOf = (pointer: string): (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => decodePointer(name) ?? name)
    .map((name) => (/^\d+$/.test(name) ? Number(name) : name));

/** Validates values by the schemas of a document. */
export class Schemas {
  readonly #document: Readonly<Record<string, unknown>>;
  readonly #direction: Direction;
  readonly #known = new Map<object, Validator>();

  constructor(document: Readonly<Record<string, unknown>>, direction: Direction) {
    this.#document = document;
    this.#direction = direction;
  }

  /** The violations of a value; none if it fits. */
  check(value: unknown, schema: unknown): Violation[] {
    if (!isObject(schema)) return [];
    let errors: readonly OutputUnit[];
    try {
      const result = this.#open(schema).validate(value);
      if (result.valid) return [];
      errors = result.errors;
    } catch (error) {
      if (error instanceof InvalidArgumentError) {
        return [{ place: [], keyword: 'document', message: `The document ${error.problem}.` }];
      }
      // The stack ends at a deep value, and a lone surrogate has no place in a URI.
      if (!(error instanceof RangeError || error instanceof URIError)) throw error;
      return [
        { place: [], keyword: 'limit', message: 'The value is nested too deep, or a name is not valid Unicode.' },
      ];
    }
    const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
    const causes = errors.filter(
      ({ keyword, keywordLocation }) =>
        !wrappers.has(keyword) && !choices.some((choice) => keywordLocation.startsWith(`${choice.keywordLocation}/`)),
    );
    return (causes.length > 0 ? causes : errors).map(({ keyword, instanceLocation, error }) => {
      const missing = keyword === 'required' ? /required property "(.*)"/.exec(error)?.[1] : undefined;
      const place = placeOf(instanceLocation);
      if (missing !== undefined) return { place: [...place, missing], keyword, message: 'Field required' };
      if (keyword === 'false') return { place, keyword: 'unknown', message: 'The document does not have this field.' };
      // Messages of these keywords quote property names, which may be secret.
      const isOfNames = keyword === 'propertyNames' || keyword === 'unevaluatedProperties';
      const isQuoting = isOfNames || quoting.test(keyword);
      const number = place.reduce<unknown>((part, key) => Object(part)[key], value);
      if (isQuoting && Number.isInteger(number) && !Number.isSafeInteger(number)) {
        return { place, keyword: 'integer', message: 'JavaScript rounds integers beyond 2^53.' };
      }
      return {
        place,
        keyword,
        message: isQuoting ? `The ${isOfNames ? 'object' : 'number'} violates ${keyword}.` : error,
      };
    });
  }

  #open(schema: object): Validator {
    return remember(
      this.#known,
      schema,
      () => new JsonValidator(toJsonSchema(this.#document, schema, this.#direction), '2020-12', false),
    );
  }
}
