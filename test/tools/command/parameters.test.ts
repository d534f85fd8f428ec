import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parameterTable } from '../../../src/client/openapi/parameter-table.ts';
import { folderOf } from './support/deployment.ts';
import { inProcess } from './support/in-process.ts';

const list = { type: 'array', items: { type: 'integer' } };
const get = {
  parameters: [
    { name: 'ids', in: 'path', required: true, schema: list },
    { name: 'tags', in: 'query', schema: list, explode: false },
    { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
    { name: 'where', in: 'query', content: { 'application/json': {} } },
    { name: 'page', in: 'query', schema: { type: 'integer' } },
  ],
};

const documentOf = async (parameters: readonly object[]) => {
  const file = join(folderOf({}), 'openapi.json');
  const ids = { name: 'ids', in: 'path', required: true, style: 'label', explode: true, schema: list };
  const paths = { '/a/{ids}': { parameters: [ids], get: { parameters }, put: { parameters: [] } } };
  await writeFile(file, JSON.stringify({ openapi: '3.1.0', paths }));
  return file;
};

test('prints a table that parameterTable takes', async () => {
  const { code, out } = await inProcess(['parameters', await documentOf(get.parameters)]);
  expect(code).toBe(0);
  const [, json = ''] = /parameterTable\((\{[\s\S]*\})\);/.exec(out) ?? [];
  const styles = JSON.parse(json);
  expect(styles).toEqual({
    'GET /a/{ids}': { query: { tags: 'form', filter: 'deepObject*', where: 'json' } },
    'PUT /a/{ids}': { path: { ids: 'label*' } },
  });
  expect(() => parameterTable(styles)).not.toThrow();
});

test('names what it cannot use', async () => {
  const wrong = await documentOf([{ name: 'expand', in: 'query', style: 'deepObject', schema: list }]);
  const { code, err } = await inProcess(['parameters', wrong]);
  expect(code).toBe(64);
  expect(err).toContain(
    'GET /a/{ids}: the query parameter expand has a type for which the style deepObject* has no form',
  );
  expect((await inProcess(['parameters', 'none.json'])).code).toBe(64);
  expect((await inProcess(['parameters'])).code).toBe(64);
  expect((await inProcess(['parameters', '--help'])).out).toContain('arango-services parameters <openapi.json>');
});
