import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../../../scripts/lib/exec.ts';
import { playback } from '../../../../src/console/mock/node.ts';
import { createMock } from '../../../../src/mock/index.ts';
import { openApiValidator } from '../../../../src/mock/openapi/index.ts';
import { Running } from '../support/process.ts';
import { makeFolder, readFiles } from './support.ts';

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return String(typeof address === 'object' ? address?.port : 0);
}

/** The commands of the guide's recipe, with free ports in place of its own. */
async function readRecipe() {
  const guide = await readFile(`${root}docs/guides/testing.md`, 'utf8');
  const [, block = ''] = /## Record and play back\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(guide) ?? [];
  const ports = new Map<string, string>();
  for (const port of ['3000', '8529', '8531']) ports.set(port, await freePort());
  const free = (line: string) => line.replace(/\b(?:3000|8529|8531)\b/g, (port) => ports.get(port) ?? port);
  const [service = '', recorder = '', tests = ''] = block.trim().split('\n').map(free);
  return { service, recorder: `${recorder} --port ${ports.get('8531')}`, tests };
}

const permission = { action: 'orders:read', resource: 'order:{id}' };
const document = {
  openapi: '3.1.0',
  info: { title: 'orders', version: '1' },
  paths: {
    '/orders/{id}': {
      get: {
        'x-permission': permission,
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: { description: 'the order', content: { 'application/json': { schema: {} } } } },
      },
    },
  },
};
const allowed = [{ effect: 'Allow', actions: ['orders:read'], resources: ['order:*'] }] as const;
const seed = {
  users: ['alice', 'bob'].map((name) => ({ name, password: 'pw' })),
  services: { orders: { authentication: 'optional' } },
  policies: { readers: { statements: allowed } },
  roles: { reader: { policies: ['readers'] } },
  bindings: [{ user: 'alice', role: 'reader', scope: { statements: [{ ...allowed[0], actions: ['*'] }] } }],
} as const;

/** A guarded service, and its tests, which print what they got. */
const files = {
  'seed.json': JSON.stringify(seed),
  'openapi.json': JSON.stringify(document),
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node test.js' } }),
  'service.js': `
import { createServer } from 'node:http';
import { createClient } from 'arango-services';
import { createGuard } from 'arango-services/guard';
const guard = createGuard(createClient({ url: process.env.PLATFORM_URL, timeout: 20_000 }), { realm: 'orders' });
createServer(async (request, response) => {
  const id = request.url.split('/')[2];
  const access = await guard.check(request, { action: 'orders:read', resource: 'order:' + id });
  const answer = access.allowed ? Response.json({ id, for: access.user }) : access.response;
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}).listen(process.env.PORT, '127.0.0.1', () => console.log('ready'));
`,
  'test.js': `
import { createClient, credentials } from 'arango-services';
import { fromEnv } from 'arango-services/node';
const { url } = fromEnv(process.env);
const statuses = [];
for (const [id, username] of [['1', 'alice'], ['2', 'bob'], ['3', undefined]]) {
  const login = username ? { credentials: credentials.login({ username, password: 'pw' }) } : {};
  const client = createClient({ url, database: 'shop', ...login });
  const { status, message } = await client.service('orders').get('orders/' + id).catch((error) => error);
  statuses.push(status < 500 ? status : message);
}
console.log('statuses', statuses.join());
`,
};

test('a guarded service is recorded by the recipe of the guide, and played back without it', async () => {
  const folder = await makeFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/arango-services'));
  const npx = `npx() { shift; exec '${process.execPath}' '${root}dist/command/index.js' "$@"; }`;
  const { PATH = '' } = process.env;
  const shell = (line: string) =>
    new Running('bash', ['--norc', '-c', `${npx}\n${line.replace(/^(PORT=)/, 'exec env $1')}`], folder, { PATH });
  const { service, recorder, tests } = await readRecipe();
  const serving = shell(service);
  await serving.printed(/ready/);
  const recording = shell(recorder);
  await recording.printed(/passes requests on/);
  const { code, out, err } = await shell(tests).ended();
  const statuses = /statuses (.*)/.exec(out)?.[1];
  expect([code, statuses, serving.err, recording.err, err]).toEqual([0, '200,403,401', '', '', expect.anything()]);
  recording.child.kill('SIGINT');
  expect(await recording.ended()).toMatchObject({ code: 0, err: expect.not.stringContaining('document') });
  const recorded = Object.values(await readFiles(join(folder, 'recordings/orders'))).map((text) => JSON.parse(text));
  expect(recorded.map(({ response }) => response.status)).toEqual([200, 403, 401]);

  const mock = await createMock({ users: seed.users });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  mock.service('orders', {}, { authentication: 'optional' });
  const options = { document, validate: openApiValidator() };
  using played = await playback(mock, 'orders', join(folder, 'recordings/orders'), options);
  const statusOf = async (id: string, user?: string) => {
    const headers = user === undefined ? {} : { authorization: `Bearer ${await mock.tokens.issue({ user })}` };
    return (await mock.fetch(`${mock.connection.url}/_service/uds/_db/shop/orders/orders/${id}`, { headers })).status;
  };
  expect([await statusOf('1', 'alice'), await statusOf('2', 'bob'), await statusOf('3')]).toEqual([200, 403, 401]);
  expect(played.unplayed).toEqual([]);
});

test.each([401, 403, 503, 500, 404])('an undeclared %i of a guarded operation', async (status) => {
  const { createDocumentCheck } = await import('../../../../src/mock/adapters/node/playback/check-document.ts');
  const check = createDocumentCheck(document, openApiValidator());
  const { problems } = await check({
    ...{ method: 'GET', path: '/orders/7', query: '', headers: new Headers(), body: Buffer.alloc(0) },
    response: { status, body: { message: 'no' } },
  });
  expect(problems.length).toBe([401, 403, 503].includes(status) ? 0 : 1);
});
