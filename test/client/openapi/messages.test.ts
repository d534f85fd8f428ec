import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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

const head = `
import type { TypedRoute } from '${root}dist/openapi/index.js';
import type { Mock } from '${root}dist/mock/index.js';
import { openApiValidator } from '${root}dist/mock/openapi/index.js';
import { paginate } from '${root}dist/stream/index.js';
import type { paths } from '${root}test/client/openapi/documents/orders.js';
declare const orders: TypedRoute<paths>;
declare const mock: Mock;
const order = ${order};
const options = { document: {}, validate: openApiValidator() };
export async function all() {
void [orders, mock, order, options, paginate];
`;

describe.each(versions)('TypeScript %s', (version) => {
  const messages = new Map<string, string>();

  beforeAll(async () => {
    // One line for each mistake, so that a message's line says which it explains.
    const file = join(folder, `mistakes-${version}.mts`);
    await writeFile(file, `${head}${mistakes.map(([, code]) => `await ${code};`).join('\n')}\n}\n`);
    const project = join(folder, `tsconfig-${version}.json`);
    await writeFile(project, JSON.stringify({ compilerOptions: { ...compilerOptions, types: [] }, files: [file] }));
    const tsc = join(await scratch(`typescript@${version}`), 'node_modules/typescript/bin/tsc');
    const { output } = await exec(process.execPath, [tsc, '-p', project, '--pretty', 'false'], { cwd: folder });
    const first = head.split('\n').length;
    for (const [, line, text] of output.matchAll(/\((\d+),\d+\): (error TS\d+: [\s\S]*?)(?=\n\S|$(?![\s\S]))/g)) {
      const name = mistakes[Number(line) - first]?.[0] ?? `line ${line}`;
      messages.set(name, (messages.get(name) ?? '') + text);
    }
  }, 300_000);

  test.each(mistakes)('names %s', (name, _code, ...parts) => {
    const message = messages.get(name) ?? '';
    for (const part of parts) expect(message).toContain(part);
    expect(message).not.toMatch(/Type '(true|false)' is not assignable/);
  });

  test('finds nothing else', () => {
    expect([...messages.keys()].filter((name) => name.startsWith('line'))).toEqual([]);
  });
});
