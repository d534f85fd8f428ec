import { expect, test } from 'vitest';
import { createPdpClient, type PdpClientOptions } from '../../../src/enforce/authzen/index.ts';
import { createGuard } from '../../../src/enforce/guard/index.ts';
import { credentials } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { inTurn, json, type Responder, serve, type TestServer } from '../../support/server.ts';
import { createLibrary, may, questions } from './support/library.ts';
import { key, servePdp } from './support/pdp-server.ts';

const own = { credentials: credentials.bearer(key), retry: 0 };
const question = { user: 'ann', action: 'book:read', resource: 'book:7' };

/** A PDP that answers its questions with a responder, and has the metadata given. */
async function servePdpOf(answer: Responder, metadata?: (url: string) => object): Promise<TestServer> {
  const server: TestServer = await serve((wire, response, request) => {
    if (!wire.target.startsWith('/.well-known/')) return answer(wire, response, request);
    return metadata ? json(metadata(server.url))(wire, response, request) : json('', 404)(wire, response, request);
  });
  return server;
}

const asked = (server: TestServer) => server.seen.filter(({ method }) => method === 'POST');
const bodyOf = ({ body }: { readonly body: Buffer }): unknown => JSON.parse(body.toString());

test('decides as the PDP, one by one and in a batch', async () => {
  const { url } = await servePdp(createLibrary());
  await using client = createPdpClient({ url, ...own });
  for (const user of ['ann', 'cleo']) {
    const items = questions
      .filter((one) => one.user === user)
      .map(({ name, type, id }) => ({
        action: `${type}:${name}`,
        resource: `${type}:${id}`,
        expected: may(user, name, type, id),
      }));
    const sent = items.map(({ action, resource }) => ({ action, resource }));
    const many = await client.evaluateMany({ user, items: sent });
    expect(many.items.map(({ allowed }) => allowed)).toEqual(items.map(({ expected }) => expected));
    expect(many.allowed).toBe(false);
    const [first] = sent;
    expect((await client.evaluate({ user, action: '', resource: '', ...first })).allowed).toBe(items[0]?.expected);
  }
});

test('sends AuthZEN: entities, context, roles as properties, a request id, and the semantic execute_all', async () => {
  const server = await servePdpOf(inTurn(json({ decision: true }), json({ evaluations: [{ decision: true }] })));
  const client = createPdpClient({ url: server.url, ...own });
  await client.evaluate({ ...question, roles: ['reader'], context: { a: 1 } }, { headers: { 'x-tenant': 't' } });
  await client.evaluateMany({ user: 'ann', items: [{ action: 'book:read', resource: 'book:7' }] });
  const [one, many] = asked(server);
  const evaluation = {
    subject: { type: 'user', id: 'ann' },
    action: { name: 'read' },
    resource: { type: 'book', id: '7' },
  };
  expect(one && [one.target, bodyOf(one)]).toEqual([
    '/access/v1/evaluation',
    { ...evaluation, subject: { ...evaluation.subject, properties: { roles: ['reader'] } }, context: { a: 1 } },
  ]);
  expect(one?.headers.get('x-tenant')).toEqual(['t']);
  expect(one?.headers.get('x-request-id')?.[0]).toMatch(/^[\w-]{36}$/);
  expect(one?.headers.get('authorization')).toEqual([`Bearer ${key}`]);
  expect(many && [many.target, bodyOf(many)]).toEqual([
    '/access/v1/evaluations',
    { evaluations: [evaluation], options: { evaluations_semantic: 'execute_all' } },
  ]);
});

test.each<[name: string, answer: Responder, code: string]>([
  ['decision as text', json({ decision: 'true' }), 'SCHEMA'],
  ['decision as a number', json({ decision: 1 }), 'SCHEMA'],
  ['no decision', json({}), 'SCHEMA'],
  ['an array', json([{ decision: true }]), 'SCHEMA'],
  ['another status', json({ decision: true }, 201), 'SCHEMA'],
  ['another content type', json({ decision: true }, 200, { 'content-type': 'text/plain' }), 'PARSE'],
  ['a 401', json({ decision: true }, 401), 'HTTP'],
  ['a 403', json({ decision: true }, 403), 'HTTP'],
  ['a 500', json({ decision: true }, 500), 'HTTP'],
  ['a redirect', json({ decision: true }, 307, { location: '/other' }), 'REDIRECT'],
  ['a broken connection', (_wire, _response, request) => void request.socket.destroy(), 'NETWORK'],
])('%s is an error, never a decision', async (_name, answer, code) => {
  const server = await servePdpOf(answer);
  const client = createPdpClient({ url: server.url, ...own });
  const error = await failureOf(client.evaluate(question));
  expect(error.code).toBe(code);
  expect(JSON.stringify(error) + error.stack).not.toContain(key);
});

test('only decision: true allows', async () => {
  const server = await servePdpOf(inTurn(json({ decision: true, context: { x: 1 } }), json({ decision: false })));
  const client = createPdpClient({ url: server.url, ...own });
  expect(await client.evaluate(question)).toEqual({ effect: 'Allow', allowed: true, message: 'Access Granted' });
  expect(await client.evaluate(question)).toEqual({ effect: 'Deny', allowed: false, message: 'Permission denied' });
});

test.each([
  ['fewer decisions', { evaluations: [{ decision: true }] }],
  ['more decisions', { evaluations: [{ decision: true }, { decision: true }, { decision: true }] }],
  ['a single decision', { decision: true }],
  ['a decision of another kind', { evaluations: [{ decision: true }, { decision: null }] }],
])('a batch that is answered with %s is an error', async (_name, body) => {
  const server = await servePdpOf(json(body));
  const client = createPdpClient({ url: server.url, ...own });
  const item = { action: 'book:read', resource: 'book:7' };
  expect((await failureOf(client.evaluateMany({ user: 'ann', items: [item, item] }))).code).toBe('SCHEMA');
});

test('a batch of more than 1 000 items is sent in parts, and answered in order', async () => {
  const { url } = await servePdp(createLibrary());
  const client = createPdpClient({ url, ...own });
  const items = Array.from({ length: 1_501 }, (_, i) => ({
    action: i % 7 ? 'book:write' : 'book:read',
    resource: 'book:7',
  }));
  const { items: decisions } = await client.evaluateMany({ user: 'ann', items });
  expect(decisions.map(({ allowed }) => allowed)).toEqual(items.map((_, i) => i % 7 === 0));
});

test('the parts of a batch share one reading of the metadata', async () => {
  const server = await servePdpOf(json({ evaluations: [] }));
  const client = createPdpClient({ url: server.url, ...own });
  const items = Array.from({ length: 2_001 }, () => ({ action: 'book:read', resource: 'book:7' }));
  await failureOf(client.evaluateMany({ user: 'ann', items }));
  expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(1);
});

test.each([
  ['an action without a name', { ...question, action: 'book' }],
  ['an action of three segments', { ...question, action: 'book:read:x' }],
  ['a resource of another type', { ...question, resource: 'film:7' }],
  ['a resource without an id', { ...question, resource: 'book' }],
  ['a resource of three segments', { ...question, resource: 'book:7:8' }],
])('%s has no AuthZEN question: it is denied, and nothing is sent', async (_name, request) => {
  const server = await servePdpOf(json({ decision: true }));
  const client = createPdpClient({ url: server.url, ...own });
  expect(await client.evaluate(request)).toMatchObject({ effect: 'Deny', allowed: false });
  const { user, ...item } = request;
  expect(await client.evaluateMany({ user, items: [item] })).toMatchObject({
    allowed: false,
    items: [{ allowed: false }],
  });
  expect(server.seen).toEqual([]);
});

test('a batch keeps the positions of items that cannot be mapped', async () => {
  const server = await servePdpOf(json({ evaluations: [{ decision: true }, { decision: true }] }));
  const client = createPdpClient({ url: server.url, ...own });
  const item = { action: 'book:read', resource: 'book:7' };
  const { items } = await client.evaluateMany({ user: 'ann', items: [item, { ...item, action: 'x' }, item] });
  expect(items.map(({ allowed }) => allowed)).toEqual([true, false, true]);
});

test('maps by its options, or by a function of the caller', async () => {
  const server = await servePdpOf(json({ decision: true }));
  const segments = createPdpClient({ url: server.url, ...own, mapping: { ids: 'segments', subjectType: 'person' } });
  await segments.evaluate({ ...question, resource: 'book:7:8' });
  const mapped = { subject: { type: 'a', id: 'b' }, action: { name: 'c' }, resource: { type: 'd', id: 'e' } };
  await createPdpClient({ url: server.url, ...own, mapping: () => mapped }).evaluate(question);
  expect(asked(server).map(bodyOf)).toEqual([
    { subject: { type: 'person', id: 'ann' }, action: { name: 'read' }, resource: { type: 'book', id: '7:8' } },
    mapped,
  ]);
});

test.each([null, 'x', {}, { subject: { type: 'user', id: 5 } }, Promise.resolve()])(
  'a mapping that returns %o is an error, and nothing is sent',
  async (mapped) => {
    const server = await servePdpOf(json({ decision: true }));
    // The cast: a mapping in JavaScript.
    const client = createPdpClient({ url: server.url, ...own, mapping: () => mapped as never });
    const { user, ...item } = question;
    await expect(client.evaluate(question)).rejects.toThrow(/^mapping: expected /);
    await expect(client.evaluateMany({ user, items: [item] })).rejects.toThrow(/^mapping: expected /);
    expect(server.seen).toEqual([]);
  },
);

test('the request id of the caller is sent in place of a random one', async () => {
  const server = await servePdpOf(json({ decision: true }));
  const client = createPdpClient({ url: server.url, ...own });
  await client.evaluate(question, { headers: { 'X-Request-ID': 'mine' } });
  expect(asked(server)[0]?.headers.get('x-request-id')).toEqual(['mine']);
});

const usual = (url: string) => ({
  policy_decision_point: url,
  access_evaluation_endpoint: `${url}/access/v1/evaluation`,
});

test('the endpoints of the metadata are used, which is read once and without credentials', async () => {
  const server = await servePdpOf(json({ decision: true }), (url) => ({
    ...usual(url),
    access_evaluation_endpoint: `${url}/elsewhere?v=1`,
    unknown: 5,
  }));
  const client = createPdpClient({ url: server.url, ...own });
  await client.evaluate(question);
  await client.evaluate(question);
  expect(server.seen.map(({ target }) => target)).toEqual([
    '/.well-known/authzen-configuration',
    '/elsewhere?v=1',
    '/elsewhere?v=1',
  ]);
  expect(server.seen[0]?.headers.has('authorization')).toBe(false);
});

test('the path of an identifier follows that of the metadata', async () => {
  const server = await servePdpOf(json({ decision: true }));
  await createPdpClient({ url: `${server.url}/tenant1/`, ...own }).evaluate(question);
  expect(server.seen.map(({ target }) => target)).toEqual([
    '/.well-known/authzen-configuration/tenant1',
    '/tenant1/access/v1/evaluation',
  ]);
});

test.each<[name: string, metadata: (url: string) => object, field: string]>([
  ['another PDP', (url) => ({ ...usual(url), policy_decision_point: `${url}/tenant2` }), 'policy_decision_point'],
  ['no PDP', (url) => ({ ...usual(url), policy_decision_point: undefined }), 'policy_decision_point'],
  [
    'another origin',
    (url) => ({ ...usual(url), access_evaluation_endpoint: 'https://evil.example/e' }),
    'access_evaluation_endpoint',
  ],
  [
    'another port',
    (url) => ({ ...usual(url), access_evaluation_endpoint: url.replace(/\d+$/, '1') }),
    'access_evaluation_endpoint',
  ],
  [
    'another origin for batches',
    (url) => ({ ...usual(url), access_evaluations_endpoint: '//evil.example' }),
    'access_evaluations_endpoint',
  ],
  ['no endpoint', (url) => ({ policy_decision_point: url }), 'access_evaluation_endpoint'],
  [
    'a blob of its origin',
    (url) => ({ ...usual(url), access_evaluation_endpoint: `blob:${url}/e` }),
    'access_evaluation_endpoint',
  ],
])('metadata that names %s is refused, and the key is not sent', async (_name, metadata, field) => {
  const server = await servePdpOf(json({ decision: true }), metadata);
  const error = await failureOf(createPdpClient({ url: server.url, ...own }).evaluate(question));
  expect(error).toMatchObject({ code: 'SCHEMA', message: expect.stringContaining(`${field}: must be `) });
  expect(server.seen.every(({ headers }) => !headers.has('authorization'))).toBe(true);
});

test('a failure to read the metadata is an error, and the next question reads it again', async () => {
  let isDown = true;
  const server = await serve((wire, response, request) => {
    const answer = wire.target.includes('authzen-configuration')
      ? json('', isDown ? 503 : 404)
      : json({ decision: true });
    answer(wire, response, request);
  });
  const client = createPdpClient({ url: server.url, ...own });
  expect(await failureOf(client.evaluate(question))).toMatchObject({ code: 'HTTP', status: 503 });
  isDown = false;
  expect((await client.evaluate(question)).allowed).toBe(true);
});

test('a guard with its own authenticate asks the PDP', async () => {
  const { url } = await servePdp(createLibrary());
  const client = createPdpClient({ url, ...own });
  const guard = createGuard(client, { authenticate: async (token) => ({ user: token }) });
  const check = async (token: string) =>
    (await guard.check(new Headers({ authorization: `Bearer ${token}` }), { action: 'book:lend', resource: 'book:7' }))
      .status;
  // Names of the library as tokens.
  expect([await check('ann'), await check('eve')]).toEqual([200, 403]);
});

test('retries like a read, and times out', async () => {
  const server = await servePdpOf(inTurn(json('', 503, { 'retry-after': '0' }), json({ decision: true })));
  expect((await createPdpClient({ url: server.url, retry: 1 }).evaluate(question)).allowed).toBe(true);
  const silent = await servePdpOf(() => undefined);
  const error = await failureOf(createPdpClient({ url: silent.url, timeout: 50 }).evaluate(question));
  expect(error.code).toBe('TIMEOUT');
});

test('a closed client sends nothing', async () => {
  const server = await servePdpOf(json({ decision: true }));
  const client = createPdpClient({ url: server.url });
  await client.close();
  expect((await failureOf(client.evaluate(question))).code).toBe('ABORTED');
  expect(server.seen).toEqual([]);
});

test.each<[name: string, options: object, field: string]>([
  ['no url', { url: undefined }, 'url'],
  ['a query', { url: 'https://pdp.example.com?x' + '=1' }, 'url'],
  ['an unknown option', { database: 'x' }, 'database'],
  ['a mapping as text', { mapping: 'user' }, 'mapping'],
  ['a bad timeout', { timeout: -1 }, 'timeout'],
])('%s is refused', async (_name, options, field) => {
  // The cast: a program in JavaScript.
  const given = { url: 'https://pdp.example.com', ...options } as unknown as PdpClientOptions;
  expect(await failureOf((async () => createPdpClient(given))())).toMatchObject({ code: 'INVALID_ARGUMENT', field });
});

test.each([
  ['no user', { action: 'a:b', resource: 'a:c' }],
  ['an empty user', { ...question, user: '' }],
  ['a token', { token: 't', action: 'a:b', resource: 'a:c' }],
  ['an action of another type', { ...question, action: 5 }],
])('a request with %s is refused, and nothing is sent', async (_name, request) => {
  const server = await servePdpOf(json({ decision: true }));
  // The cast: a program in JavaScript.
  const error = await failureOf(createPdpClient({ url: server.url }).evaluate(request as unknown as typeof question));
  expect(error.code).toBe('INVALID_ARGUMENT');
  expect(server.seen).toEqual([]);
});
