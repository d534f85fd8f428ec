import { describe, expect, test } from 'vitest';
import { Schemas } from '../../../src/mock/openapi/schemas.ts';
import models from '../../client/openapi/documents/mlserver-data-plane.json' with { type: 'json' };

const of30 = (named: object = {}) => new Schemas({ openapi: '3.0.3', components: { schemas: named } }, 'request');
const of31 = (named: object = {}) => new Schemas({ openapi: '3.1.0', components: { schemas: named } }, 'request');
const fits = (schemas: Schemas, value: unknown, schema: object) => schemas.check(value, schema).length === 0;

describe('OpenAPI 3.0', () => {
  test.each([
    ['null', { type: 'string', nullable: true }, true],
    ['null of an enum', { type: 'string', enum: ['a'], nullable: true }, true],
    ['null of a reference', { nullable: true, allOf: [{ $ref: '#/components/schemas/Name' }] }, true],
    ['null that is not nullable', { type: 'string', nullable: false }, false],
    ['null of a plain type', { type: 'string' }, false],
  ])('translates nullable: %s', (_, schema, expected) => {
    const named = { Name: { type: 'string' } };
    expect(fits(of30(named), null, schema)).toBe(expected);
    expect(fits(of30(named), { below: [null] }, { properties: { below: { items: schema } } })).toBe(expected);
    expect(fits(of30(named), 7, schema)).toBe(false);
  });

  test.each([
    [{ minimum: 1, exclusiveMinimum: true }, 1, false],
    [{ minimum: 1, exclusiveMinimum: true }, 2, true],
    [{ minimum: 1, exclusiveMinimum: false }, 1, true],
    [{ maximum: 1, exclusiveMaximum: true }, 1, false],
    [{ maximum: 1 }, 1, true],
  ])('translates %j for %d', (schema, value, expected) => {
    expect(fits(of30(), value, { type: 'number', ...schema })).toBe(expected);
  });

  test('does not take properties named nullable, minimum or example for keywords', () => {
    const schema = {
      properties: { nullable: { type: 'boolean' }, minimum: { type: 'number' }, example: { type: 'string' } },
    };
    expect(fits(of30(), { nullable: true, minimum: 1, example: 'a' }, schema)).toBe(true);
    expect(fits(of30(), { nullable: 'yes' }, schema)).toBe(false);
    expect(fits(of30(), { example: 7 }, schema)).toBe(false);
  });

  test('checks values by the document of a public project, the data plane of MLServer', () => {
    const schemas = new Schemas(models, 'request');
    const schema = { $ref: '#/components/schemas/InferenceRequest' };
    const input = { name: 'x', shape: [1], datatype: 'FP32', data: [1] };
    expect(schemas.check({ inputs: [input] }, schema)).toEqual([]);
    expect(schemas.check({ inputs: [{ ...input, shape: 'one' }] }, schema)[0]?.place).toEqual(['inputs', 0, 'shape']);
  });
});

describe('OpenAPI 3.1', () => {
  test('has the types and bounds of JSON Schema', () => {
    expect(fits(of31(), null, { type: ['string', 'null'] })).toBe(true);
    expect(fits(of31(), null, { type: 'string', nullable: true })).toBe(false);
    expect(fits(of31(), 0, { exclusiveMinimum: 0 })).toBe(false);
  });

  test('follows references, also to themselves', () => {
    const Tree = {
      type: 'object',
      required: ['name'],
      properties: { children: { items: { $ref: '#/components/schemas/Tree' } } },
    };
    const violations = of31({ Tree }).check(
      { name: 'a', children: [{ name: 'b', children: [{}] }] },
      {
        $ref: '#/components/schemas/Tree',
      },
    );
    expect(violations).toEqual([
      { place: ['children', 0, 'children', 0, 'name'], keyword: 'required', message: 'Field required' },
    ]);
  });

  test('refuses references that leave the schemas', () => {
    expect(of31().check(1, { $ref: 'other.json' })[0]?.message).toMatch(/\$ref/);
  });

  test('does not require properties of the other direction', () => {
    const schema = {
      required: ['id', 'secret'],
      properties: { id: { readOnly: true, type: 'integer' }, secret: { writeOnly: true, type: 'string' } },
    };
    const response = new Schemas({ openapi: '3.1.0' }, 'response');
    expect(fits(of31(), { secret: 'a' }, schema)).toBe(true);
    expect(fits(response, { id: 1 }, schema)).toBe(true);
    expect(fits(response, { secret: 'a' }, schema)).toBe(false);
  });
});
