import { describe, expect, test } from 'vitest';
import { Schemas } from '../../../src/mock/openapi/schemas.ts';
import { cpuOf } from '../../support/cpu-of.ts';

const of = (schemas: object = {}, openapi = '3.1.0') => new Schemas({ openapi, components: { schemas } }, 'request');
const placesOf = (schemas: Schemas, value: unknown, schema: object) =>
  schemas.check(value, schema).map(({ place, message }) => `${place.join('.')}: ${message}`);

describe('patterns of other engines', () => {
  test.each([
    ['^[\\w-.]+$', 'a-b.c', 'a b'],
    ['^[\\d-_]+$', '1-2_3', 'x'],
    ['^a\\_b\\-c\\@d$', 'a_b-c@d', 'a-b_c@d'],
    ['^[\\w-]+$', 'a-b', 'a.b'],
    ['^\\\\[a-c]$', '\\b', 'b'],
    ['^\\\\@\\@$', '\\@@', '@@'],
    ['^\\p{Lu}$', 'Ü', 'ü'],
  ])('%s', (pattern, valid, invalid) => {
    expect(of().check(valid, { pattern })).toEqual([]);
    expect(of().check(invalid, { pattern })).toHaveLength(1);
    const names = { patternProperties: { [pattern]: { type: 'string' } } };
    expect(placesOf(of(), { [valid]: 7 }, names)).toHaveLength(1);
  });

  test('are refused if JavaScript does not support them', () => {
    expect(of().check('a', { pattern: '(?P<name>a)' })[0]?.message).toMatch(/The document holds a pattern/);
  });
});

describe('the schemas of a document', () => {
  test('of the format url are checked in linear time, with any host', async () => {
    const url = { format: 'url' };
    expect(of().check('http://localhost:8080/a', url)).toEqual([]);
    const check = () => expect(of().check(`http://${'a'.repeat(5_000)}|`, url)).toHaveLength(1);
    expect(await cpuOf(check)).toBeLessThan(1_000);
  });

  test('that only refer to themselves are refused', () => {
    const Loop = { $ref: '#/components/schemas/Loop' };
    expect(of({ Loop }).check(1, { items: Loop })[0]?.message).toMatch(/\$ref that leads only to itself/);
  });

  test('keep the names of fields in dependentRequired', () => {
    expect(placesOf(of(), { id: 1 }, { dependentRequired: { id: ['total'] } })).toHaveLength(1);
  });

  test('do not require a readOnly property behind a reference', () => {
    const schema = { required: ['id'], properties: { id: { $ref: '#/components/schemas/Id' } } };
    expect(of({ Id: { readOnly: true } }).check({}, schema)).toEqual([]);
    expect(of({ Id: {} }).check({}, schema)).toHaveLength(1);
  });

  test('that are nullable in 3.0 report the place inside them', () => {
    const schema = { type: 'object', nullable: true, required: ['id'], properties: { id: { type: 'integer' } } };
    expect(placesOf(of({}, '3.0.3'), { id: 'x' }, schema)).toEqual([
      'id: Instance type "string" is invalid. Expected "integer".',
    ]);
  });
});

describe('values that a schema validates', () => {
  test('with a field that the document does not have are violations that name the field', () => {
    const schema = { properties: { a: {} }, additionalProperties: false };
    expect(placesOf(of(), { b: 1 }, schema)).toEqual(['b: The document does not have this field.']);
  });

  test('that are too deep, or have a name that is not Unicode, are violations', () => {
    const Tree = { additionalProperties: { $ref: '#/components/schemas/Tree' } };
    let deep: object = {};
    for (let depth = 0; depth < 20_000; depth += 1) deep = { a: deep };
    expect(of({ Tree }).check(deep, { $ref: '#/components/schemas/Tree' })[0]?.keyword).toBe('limit');
    expect(of().check({ '\ud800': 1 }, { additionalProperties: { type: 'string' } })[0]?.keyword).toBe('limit');
  });

  test('are quoted in no message, nor are their names', () => {
    const secret = 'hunter2-hunter2';
    const all: [object, unknown][] = [
      [{ enum: ['a'] }, secret],
      [{ const: 'a' }, secret],
      [{ pattern: '^a$' }, secret],
      [{ format: 'email' }, secret],
      [{ maxLength: 1 }, secret],
      [{ uniqueItems: true }, [secret, secret]],
      [{ not: { type: 'string' } }, secret],
      [{ propertyNames: { maxLength: 1 } }, { [secret]: 1 }],
      [{ unevaluatedProperties: false }, { [secret]: 1 }],
      [{ patternProperties: { a: { type: 'string' }, h: { type: 'string' } } }, { [secret]: 1 }],
      [{ additionalProperties: { type: 'string' } }, { [secret]: 1 }],
      [{ oneOf: [{ type: 'integer' }] }, secret],
    ];
    for (const [schema, value] of all) {
      const found = of().check(value, schema);
      expect(found.length).toBeGreaterThan(0);
      for (const { message } of found) expect(message).not.toContain(secret);
    }
  });
});
