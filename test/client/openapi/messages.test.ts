import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exec, root } from '../../../scripts/lib/exec.ts';
import { scratch } from '../../../scripts/lib/scratch.ts';

// The words in which the compilers explain a mistake: in the messages of each are the parts that name it.

const versions = ['5.4.5', '5.9.3', '7.0.2'];
const compilerOptions = { noEmit: true, strict: true, target: 'es2022', module: 'nodenext', skipLibCheck: true };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(root, 'node_modules/.cache-messages-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const order = `{ id: 7, total: 1, state: 'open' as const }`;
const id = `'/orders/{id}', { path: { id: 7 }`;
const mistakes: readonly (readonly [name: string, code: string, ...parts: string[]])[] = [
  ['a wrong field of a body', `orders.post('/orders', { body: { total: 'much' } })`, 'total', "'string'", "'number'"],
  ['a missing field of a body', `orders.post('/orders', { body: { lines: [] } })`, "'total' is missing"],
  ['a misspelt field of a body', `orders.post('/orders', { body: { total: 1, lnes: [] } })`, "'lnes'"],
  ['text in place of bytes', `orders.put('/orders/{id}/photo', { path: { id: 7 }, body: 'x' })`, "'body'", 'image/png'],
  ['a body that is not taken', `orders.delete(${id}, body: {} })`, "'body'", '"delete"'],
  ['a missing body', `orders.post('/orders', {})`, "'body' is missing"],
  ['a missing parameter', `orders.get('/orders/{id}', { path: {} })`, "'id' is missing"],
  ['missing parameters', `orders.get('/orders/{id}', {})`, "'path' is missing"],
  ['a missing query', `orders.get('/tenants', { headers: { 'x-tenant': 'a' } })`, "'query' is missing"],
  ['a status of an answer', `void ((await orders.get(${id}, allowStatus: [404] })).status === 409)`, "'409'", '404'],
  ['a status that is text', `orders.get(${id}, allowStatus: ['404'] })`, "'string'", "'number'"],
  ['a missing parameter of pages', `paginate(orders, '/orders/{id}', { path: {}, next: () => '' })`, "'id' is missing"],
  [
    'text in place of a boolean header',
    `more.get(${id}, headers: { 'x-dry': 'yes' } })`,
    'x-dry',
    "'string'",
    "'boolean'",
  ],
  ['a wrong optional header', `more.get(${id}, headers: { 'x-dry': true, 'x-tenant': 5 } })`, 'x-tenant', "'number'"],
  ['a missing header', `more.get(${id}, headers: {} })`, "'x-dry'", 'is missing'],
  ['missing headers', `more.get(${id} })`, "'headers' is missing"],
  ['a list in a path', `more.get('/orders/{id}', { path: { id: [7] }, headers })`, 'path.id', "'number[]'", "'number'"],
  ['a wrong parameter', `more.get(${id}, query: { limit: 'a' }, headers })`, 'limit', "'string'", "'number'"],
  ['a misspelt parameter', `more.get(${id}, query: { limt: 1 }, headers })`, "'limt'", 'limit'],
  ['a wrong header by a table', `styled.get(${id}, headers: { 'x-dry': 'yes' } })`, 'x-dry', "'string'", "'boolean'"],
  [
    'a wrong parameter of a first page',
    `paginate(more, '/list', { query: { limit: 'a' }, next })`,
    "'string'",
    "'number'",
  ],
  ['a wrong parameter of a page', `paginate(more, '/list', { next: () => ({ cursor: 7 }) })`, "'number'", "'string'"],
  ['a misspelt parameter of a page', `paginate(more, '/list', { next: () => ({ crsor: 'a' }) })`, 'crsor', 'cursor?'],
  ['a missing next', `paginate(more, '/list', {})`, "'next' is missing"],
  ...['', ', options'].flatMap((more): (readonly [string, string, ...string[]])[] => [
    [
      `a wrong field of an answer${more}`,
      service(`{ body: { ...order, id: 'x' } }`, more),
      'id',
      "'string'",
      "'number'",
    ],
    [`a missing field of an answer${more}`, service('{ body: { id: 7 } }', more), 'total, state'],
    [`a wrong body of a 404${more}`, service('{ status: 404, body: order }', more), 'detail'],
    [`a wrong header of an answer${more}`, service('{ body: order, headers: { a: 7 } }', more), "'a'", "'number'"],
    [
      `a status that the document lacks${more}`,
      `mock.service<paths>('a', { '/orders': { get: () => ({ status: 418, body: [order] }) } }${more})`,
      '418',
      'NotDocumented<200 | 422, ',
    ],
    [
      `a missing status${more}`,
      `mock.service<paths>('a', { '/orders': { post: () => ({ body: order }) } }${more})`,
      "'status' is missing",
    ],
    [
      `a parameter that the document lacks${more}`,
      `mock.service<paths>('a', { '/orders/{id}': { get: ({ path }) => ({ body: { ...order, id: path.di } }) } }${more})`,
      "'di' does not exist",
    ],
  ]),
];

function service(answer: string, more: string): string {
  return `mock.service<paths>('a', { '/orders/{id}': { get: () => (${answer}) } }${more})`;
}

const imports = `
import type { TypedRoute } from '${root}dist/openapi/index.js';
import type { Mock } from '${root}dist/mock/index.js';
import { paginate } from '${root}dist/stream/index.js';
`;

/** An operation with the parameters that `orders.d.ts` lacks. */
const types = `
interface More {
  '/orders/{id}': {
    get: {
      parameters: {
        path: { id: number };
        query?: { limit?: number; state?: boolean };
        header: { 'x-dry': boolean; 'x-tenant'?: string; 'x-on'?: boolean };
        cookie?: { sid?: string };
      };
      responses: { 200: { content: { 'application/json': { id: number; note?: string; lines?: { sku?: string }[] } } } };
    };
    put: {
      parameters: { path: { id: number } };
      requestBody: { content: { 'application/json': { total: number; note?: string; deep?: { lines?: { sku?: string }[] } } } };
      responses: { 204: { content?: never } };
    };
  };
  '/list': {
    get: {
      parameters: { query?: { cursor?: string; limit?: number } };
      responses: { 200: { content: { 'application/json': { next?: string } } } };
    };
  };
}
declare const more: TypedRoute<More>;
declare const styled: TypedRoute<More, true>;
declare const mock: Mock;
`;

/** Each field that may be left out is `undefined`. */
const sparse = `
${imports}
${types}
declare const count: number | undefined, text: string | undefined, flag: boolean | undefined;
const path = { id: 7 };
const headers = { 'x-dry': true, 'x-tenant': text, 'x-on': flag };
const query = { limit: count, state: flag };
const body = { total: 1, note: text, deep: { lines: [{ sku: text }] } };
export async function all() {
  await more.get('/orders/{id}', { path, query, headers });
  await more.get('/orders/{id}', { path, query: undefined, headers: { 'x-dry': true } });
  await more.put('/orders/{id}', { path, body });
  await more.put('/orders/{id}', { path, body: { total: 1, deep: undefined } });
  await styled.get('/orders/{id}', { path, query, headers, cookie: { sid: text } });
  await styled.get('/orders/{id}', { path, headers, cookie: undefined });
  paginate(more, '/list', { query: { limit: count }, next: ({ body }) => ({ cursor: body.next, limit: count }) });
  paginate(more, '/list', { query: undefined, next: ({ body }) => body.next && { cursor: body.next } });
  mock.service<More>('a', {
    '/orders/{id}': {
      get: () => ({ body: { id: 7, note: text, lines: [{ sku: text }, { sku: undefined }] } }),
      put: ({ body }) => ({ status: 204, body: undefined, headers: undefined }),
    },
    '/list': { get: async () => ({ status: 200, body: { next: text } }) },
  });
}
`;

const head = `
${imports}
import { openApiValidator } from '${root}dist/mock/openapi/index.js';
import type { paths } from '${root}test/client/openapi/documents/orders.js';
${types}
declare const orders: TypedRoute<paths>;
const headers = { 'x-dry': true };
const next = () => '';
const order = ${order};
const options = { document: {}, validate: openApiValidator() };
export async function all() {
void [orders, mock, order, options, paginate, styled, headers, next];
`;

/** The files of a version: with each mistake on a line of its own, and the sparse one by its options. */
const filesOf = {
  mistakes: { code: `${head}${mistakes.map(([, code]) => `await ${code};`).join('\n')}\n}\n`, options: {} },
  // The last line shows that the file was compiled.
  true: { code: `${sparse}export const wrong: 1 = 2;\n`, options: { exactOptionalPropertyTypes: true } },
  false: { code: `${sparse}export const wrong: 1 = 2;\n`, options: { exactOptionalPropertyTypes: false } },
};

/**
 * Compiles the files in one process, which reads and binds the libraries once. Resolves to the errors: where they are,
 * and their texts.
 */
async function compile(version: string): Promise<readonly (readonly [file: string, line: number, text: string])[]> {
  const tsc = join(await scratch(`typescript@${version}`), 'node_modules/typescript/bin/tsc');
  const own = join(folder, version);
  await mkdir(own);
  for (const [name, { code, options }] of Object.entries(filesOf)) {
    await writeFile(join(own, `${name}.mts`), code);
    const project = { compilerOptions: { ...compilerOptions, types: [], ...options }, files: [`${name}.mts`] };
    await writeFile(join(own, `${name}.json`), JSON.stringify(project));
  }
  const projects = Object.keys(filesOf).map((name) => `${name}.json`);
  const { output } = await exec(process.execPath, [tsc, '-b', ...projects, '--pretty', 'false'], { cwd: own });
  const errors = output.trimEnd().split(/\n(?=\S)/);
  return errors.map((error) => {
    const [, file = '', line, text = error] = /^(\w+)\.mts\((\d+),\d+\): (error TS\d+: [\s\S]*)$/.exec(error) ?? [];
    return [file, Number(line), text];
  });
}

describe.each(versions)('TypeScript %s', (version) => {
  let errors: Awaited<ReturnType<typeof compile>> = [];
  const messages = new Map<string, string>();

  beforeAll(async () => {
    errors = await compile(version);
    // A message's line says which mistake it explains.
    const first = head.split('\n').length;
    for (const [file, line, text] of errors) {
      const name = (file === 'mistakes' && mistakes[line - first]?.[0]) || `line ${line} of ${file}: ${text}`;
      messages.set(name, (messages.get(name) ?? '') + text);
    }
  }, 300_000);

  test.each(mistakes)('names %s', (name, _code, ...parts) => {
    const message = messages.get(name) ?? '';
    for (const part of parts) expect(message).toContain(part);
    expect(message).not.toMatch(/Type '(true|false)' is not assignable/);
  });

  test.each(['true', 'false'])('takes undefined for what may be left out, exactOptionalPropertyTypes: %s', (exact) => {
    const last = sparse.split('\n').length;
    const wrong = "error TS2322: Type '2' is not assignable to type '1'.";
    expect(errors.filter(([file]) => file === exact)).toEqual([[exact, last, wrong]]);
  });

  test('reports no other errors', () => {
    const others = [...messages.keys()].filter((name) => name.startsWith('line'));
    expect(others.filter((name) => !/^line \d+ of (?:true|false): /.test(name))).toEqual([]);
  });
});
