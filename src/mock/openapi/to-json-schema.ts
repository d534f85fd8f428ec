import type { Schema } from '@cfworker/json-schema';
import { InvalidArgumentError } from '../../base/errors.js';
import { isObject } from '../../base/lib/values.js';
import { findReference, follow, variantsOf } from '../../base/openapi-document/reference.js';
import { toUnicodePattern } from './patterns.js';

/** The direction of a body: `readOnly` properties are not required in requests, `writeOnly` ones not in answers. */
export type Direction = 'request' | 'response';

/** Keywords whose values are data, not schemas. */
const data = new Set(['example', 'examples', 'default', 'const', 'enum']);

// References are resolved by place, so ids are dropped; extensions may hold any data.
const dropped = /^(?:\$?id|x-.*)$/;

/** Translates the `nullable` and the boolean `exclusiveMinimum` of OpenAPI 3.0. */
function translate30(schema: Record<string, unknown>): Record<string, unknown> {
  const { nullable, exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = schema;
  // In 3.0 a reference has no siblings.
  if (typeof rest.$ref === 'string') return { $ref: rest.$ref };
  const bounds = (name: string, bound: unknown, exclusive: unknown): object => {
    const limits = bound === undefined ? {} : { [exclusive === true ? `exclusive${name}` : name.toLowerCase()]: bound };
    return typeof exclusive === 'number' ? { ...limits, [`exclusive${name}`]: exclusive } : limits;
  };
  const plain = {
    ...rest,
    ...bounds('Minimum', minimum, exclusiveMinimum),
    ...bounds('Maximum', maximum, exclusiveMaximum),
  };
  if (nullable !== true) return plain;
  // With a list of types, violations keep their place. A schema with choices gets null as a further choice.
  if (typeof rest.type !== 'string' || rest.allOf || rest.anyOf || rest.oneOf || rest.not) {
    return { anyOf: [{ type: 'null' }, plain] };
  }
  return { ...plain, type: [rest.type, 'null'], ...(Array.isArray(rest.enum) && { enum: [...rest.enum, null] }) };
}

/** Limits integers to those that JavaScript holds exactly: a larger one is rounded before it is checked. */
function withSafeIntegers(schema: Record<string, unknown>): Record<string, unknown> {
  const { type, minimum, maximum } = schema;
  if (![type].flat().includes('integer')) return schema;
  const most = Number.MAX_SAFE_INTEGER;
  const least = typeof minimum === 'number' ? Math.max(minimum, -most) : -most;
  return { ...schema, minimum: least, maximum: typeof maximum === 'number' ? Math.min(maximum, most) : most };
}

/** Copies schemas of a document as JSON Schema 2020-12, with the schemas that they refer to. */
class Translation {
  readonly #document: Readonly<Record<string, unknown>>;
  readonly #is30: boolean;
  readonly #hidden: string;
  readonly #names = new Map<string, string>();
  readonly definitions: Record<string, unknown> = {};

  constructor(document: Readonly<Record<string, unknown>>, direction: Direction) {
    this.#document = document;
    this.#is30 = typeof document.openapi === 'string' && document.openapi.startsWith('3.0');
    this.#hidden = direction === 'request' ? 'readOnly' : 'writeOnly';
  }

  /** `optional`: the properties of the same value that other schemas say are not required in this direction. */
  translate(value: unknown, optional: readonly string[] = []): unknown {
    if (Array.isArray(value)) return value.map((item) => this.translate(item, optional));
    if (!isObject(value)) return value;
    const schema = withSafeIntegers(this.#is30 ? translate30(value) : value);
    const all = [...optional, ...this.#hiddenIn(value)];
    return Object.fromEntries(Object.entries(schema).flatMap(([key, part]) => this.#keyword(all, key, part)));
  }

  /** The hidden properties of a schema and its parts. In OpenAPI 3.0, keywords beside a reference do not count. */
  #hiddenIn(schema: Record<string, unknown>): string[] {
    if (!(schema.properties ?? schema.allOf)) return [];
    return variantsOf(this.#document, schema).flatMap(({ properties }) =>
      Object.entries(Object(properties)).flatMap(([name, property]) => {
        const beside = this.#is30 ? [] : [Object(property)];
        const all = [...variantsOf(this.#document, property), ...beside];
        return all.some((schema) => schema[this.#hidden] === true) ? [name] : [];
      }),
    );
  }

  #keyword(optional: readonly string[], key: string, value: unknown): [string, unknown][] {
    if (dropped.test(key)) return [];
    if (data.has(key)) return key === 'const' || key === 'enum' ? [[key, value]] : [];
    if (key === '$ref') return [[key, this.#refer(value, optional)]];
    if (key === 'pattern' && typeof value === 'string') return [[key, toUnicodePattern(value)]];
    // The validator's check of `url` takes exponential time, and refuses hosts like `localhost`.
    if (key === 'format' && value === 'url') return [[key, 'uri']];
    if (key === 'required' && Array.isArray(value)) return [[key, value.filter((name) => !optional.includes(name))]];
    // The schemas of these keywords apply to the same value, so `optional` holds for them, too.
    if (/^(?:(?:all|any|one)Of|if|then|else)$/.test(key)) return [[key, this.translate(value, optional)]];
    // The keys of these objects are names of properties, not keywords.
    if (
      !/^(?:properties|patternProperties|\$defs|definitions|dependentSchemas|dependentRequired)$/.test(key) ||
      !isObject(value)
    ) {
      return [[key, this.translate(value)]];
    }
    return [
      [
        key,
        Object.fromEntries(
          Object.entries(value).map(([name, schema]) => [
            key === 'patternProperties' ? toUnicodePattern(name) : name,
            this.translate(schema),
          ]),
        ),
      ],
    ];
  }

  /** The place of a schema in the copy, which is made at the first reference with these optional properties. */
  #refer(reference: unknown, optional: readonly string[]): string {
    const target = findReference(this.#document, reference);
    if (typeof reference !== 'string' || target === undefined) {
      throw new InvalidArgumentError('document', 'holds a schema with a $ref to something outside of the document');
    }
    if (isObject(target) && follow(this.#document, target) === undefined) {
      throw new InvalidArgumentError('document', 'holds a schema with a $ref that leads only to itself, or nowhere');
    }
    const of = JSON.stringify([reference, ...new Set(optional)]);
    const name = this.#names.get(of) ?? `schema${this.#names.size}`;
    if (!this.#names.has(of)) {
      this.#names.set(of, name);
      this.definitions[name] = this.translate(target, optional);
    }
    return `#/$defs/${name}`;
  }
}

/** Copies a schema, with those that it refers to, as JSON Schema 2020-12, translated from OpenAPI 3.0. */
export function toJsonSchema(
  document: Readonly<Record<string, unknown>>,
  schema: object,
  direction: Direction,
): Schema {
  const translation = new Translation(document, direction);
  const copy = translation.translate(schema);
  // The cast: the schema of a document is any JSON, and unknown keywords are ignored.
  return { allOf: [copy], $defs: translation.definitions } as Schema;
}
