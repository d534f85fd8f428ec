import type { Ajv } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { guardOperation } from '../../../src/enforce/guard/index.ts';
import { guardOf } from '../../support/guards.ts';
import { sendRaw } from './frameworks/raw-requests.ts';
import { passed, type Ran } from './spellings/spellings.ts';

/** The keyword of ajv-keywords, whose schemas change a text: `transform: ['trim']`. */
const transform = (ajv: Ajv) =>
  ajv.addKeyword({
    keyword: 'transform',
    modifying: true,
    before: 'enum',
    validate: ([how]: string[], text: string, _schema: unknown, at?: DataValidationCxt) =>
      at !== undefined &&
      Reflect.set(at.parentData, at.parentDataProperty, how === 'trim' ? text.trim() : text.toLowerCase()),
  });

// The cast: `guardOperation` calls nothing else.
const guard = guardOf(async () => ({ allowed: true, status: 200, token: 't' }));
const string = { type: 'string' };
const integer = { type: 'integer' };
const small = { ...integer, maximum: 5 };
const components = { schemas: { Text: string } };
const reference = { $ref: '#/components/schemas/Text' };

const numbers = ['7', '07', '+7', '7.0', '7e0', '0007', '%207', '7%20', '1e10', '10000000000'];
const texts = [...numbers, 'ann', 'Ann', 'ann%20', '%20ann'];

/** Runs a Fastify service; gives the value of each request whose handler ran. */
async function valuesOf(schema: object): Promise<Ran[]> {
  const all: Ran[] = [];
  const customOptions = { formats: { byte: true }, strictTypes: false } as const;
  const app = fastify({ ajv: { customOptions, onCreate: transform } });
  app.addSchema({ $id: 'Text', ...string });
  // Fastify names a shared schema by its id, the document by its place. The cast: schemas are JSON.
  const own = JSON.parse(JSON.stringify(schema).replaceAll(reference.$ref, 'Text#')) as object;
  const options = { schema: { params: { type: 'object', properties: { value: own } } } };
  app.get<{ Params: { value: unknown } }>('/values/:value', options, async ({ params: { value }, raw }) => {
    all.push({ kind: '', path: raw.url ?? '', value: String(value), resource: undefined });
    return 'ran';
  });
  await app.ready();
  const lines = texts.map((text) => `GET /values/${text}` as const);
  await sendRaw((request, response) => app.routing(request, response), lines);
  return all;
}

const documentOf = (schema: object, openapi: string) => ({
  openapi,
  components,
  paths: {
    '/values/{value}': {
      get: {
        parameters: [{ name: 'value', in: 'path', required: true, schema }],
        'x-permission': { action: 'values:read', resource: 'value:{value}' },
      },
    },
  },
});

test.each<[string, object]>([
  ['a keyword that trims', { ...string, transform: ['trim'] }],
  ['a keyword that changes case', { ...string, transform: ['toLowerCase'] }],
  ['such a keyword in a part', { ...string, allOf: [{ transform: ['toLowerCase'] }] }],
  ['such a keyword beside a reference', { ...reference, transform: ['toLowerCase'] }],
  ['a type that is excluded, by which ajv converts', { ...string, not: small }],
  ['a type that is excluded deeper', { ...string, allOf: [{ not: { anyOf: [small] } }] }],
  ['a type that is excluded beside a reference', { ...reference, not: small }],
  ['another type in a part', { ...integer, allOf: [string] }],
  ['another type in a choice', { ...integer, anyOf: [string] }],
  ['another type deeper', { ...integer, allOf: [{ oneOf: [string] }] }],
  ['another type behind a reference', { ...integer, allOf: [reference] }],
  ['another type beside a reference', { ...reference, ...integer }],
  ['a format of texts for an integer', { ...integer, format: 'byte' }],
])('%s gives a value several texts in Fastify, so it is refused in every version of OpenAPI', async (_, schema) => {
  const ran = await valuesOf(schema);
  // As if a guard took each text as it is.
  expect(passed(ran.map((one) => ({ ...one, resource: one.path })))).not.toEqual([]);
  const refused = /not supported|may have several texts/;
  for (const version of ['3.0.3', '3.1.0']) {
    expect(() => guardOperation(guard, documentOf(schema, version)), version).toThrow(refused);
  }
  guardOperation(guard, documentOf(string, '3.0.3'));
});
