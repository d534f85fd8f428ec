import { expect, test, vi } from 'vitest';
import { createPdp, type PdpOptions } from '../../../src/enforce/authzen/index.ts';
import { createClient } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { failureOf } from '../../support/failure.ts';
import { createLibrary, resources } from './support/library.ts';
import { key, servePdp } from './support/pdp-server.ts';

const question = {
  subject: { type: 'user', id: 'ann' },
  action: { name: 'read' },
  resource: { type: 'book', id: '7' },
};
const evaluation = '/access/v1/evaluation';

test.each([
  ['no credentials', {}],
  ['another key', { authorization: 'Bearer another' }],
  ['the key twice', { authorization: `Bearer ${key}, Bearer ${key}` }],
])('%s: 401 with WWW-Authenticate, and the body is not read', async (_name, headers) => {
  const pdp = await servePdp(createLibrary());
  const sent = { 'content-type': 'application/json', 'x-request-id': 'r 1', ...headers };
  const answer = await fetch(pdp.url + evaluation, { method: 'POST', headers: sent, body: '{"malformed' });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(answer.headers.get('x-request-id')).toBe('r 1');
  expect(await answer.json()).toBe('unauthenticated');
});

test.each([1, 'true', {}, undefined])('authenticate admits with true only, not with %o', async (result) => {
  // The cast: a program in JavaScript.
  const authenticate = (() => result) as unknown as () => boolean;
  const pdp = await servePdp(createLibrary(), { authenticate });
  expect((await pdp.post(evaluation, question)).status).toBe(401);
});

test('an authenticate that fails is a 500, and onError has its error', async () => {
  const [failure, onError] = [new Error('the directory is down'), vi.fn()];
  const pdp = await servePdp(createLibrary(), { authenticate: () => Promise.reject(failure), onError });
  const answer = await pdp.post(evaluation, question);
  expect(answer).toMatchObject({ status: 500, body: 'Internal error' });
  expect(onError.mock.calls).toEqual([[failure]]);
});

test("authenticate: 'none' admits every caller", async () => {
  const pdp = await servePdp(createLibrary(), { authenticate: 'none' });
  expect((await pdp.post(evaluation, question, { authorization: '' })).body).toEqual({ decision: true });
});

test.each([
  ['nothing else', {}, false, false],
  ['a state', { state: createLibrary() }, true, false],
  ['a state and resources', { state: createLibrary(), candidates: { resources } }, true, true],
  ['resources without a state', { candidates: { resources } }, false, false],
])('with %s, the metadata names the endpoints that there are', async (_name, options, searches, listsResources) => {
  const pdp = await servePdp(createLibrary(), options);
  const answer = await fetch(`${pdp.url}/.well-known/authzen-configuration`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('max-age=300');
  const base = `${pdp.url}/access/v1`;
  expect(await answer.json()).toEqual({
    policy_decision_point: pdp.url,
    access_evaluation_endpoint: `${base}/evaluation`,
    access_evaluations_endpoint: `${base}/evaluations`,
    ...(searches && {
      search_subject_endpoint: `${base}/search/subject`,
      search_action_endpoint: `${base}/search/action`,
    }),
    ...(listsResources && { search_resource_endpoint: `${base}/search/resource` }),
  });
  expect((await pdp.post('/access/v1/search/subject', {})).status).toBe(searches ? 400 : 404);
  expect((await pdp.post('/access/v1/search/resource', {})).status).toBe(listsResources ? 400 : 404);
});

test('the path of the identifier precedes those of the endpoints, and follows the well-known path', async () => {
  const url = 'https://pdp.example.com/tenant1/';
  const pdp = createPdp(createLibrary(), { url, authenticate: 'none' });
  const get = async (path: string) => pdp(new Request(`https://pdp.example.com${path}`));
  expect(await (await get('/.well-known/authzen-configuration/tenant1')).json()).toMatchObject({
    policy_decision_point: 'https://pdp.example.com/tenant1',
    access_evaluation_endpoint: 'https://pdp.example.com/tenant1/access/v1/evaluation',
  });
  expect((await get('/.well-known/authzen-configuration')).status).toBe(404);
  expect((await get('/tenant1/access/v1/evaluation')).status).toBe(405);
  expect((await get('/access/v1/evaluation')).status).toBe(404);
});

test.each([
  ['GET', evaluation, 405, 'POST'],
  ['PUT', evaluation, 405, 'POST'],
  ['POST', '/.well-known/authzen-configuration', 405, 'GET, HEAD'],
  ['HEAD', '/.well-known/authzen-configuration', 200, null],
  ['POST', '/access/v1/evaluation/', 404, null],
  ['GET', '/', 404, null],
])('%s %s is answered with %d', async (method, path, status, allow) => {
  const pdp = await servePdp(createLibrary());
  const answer = await fetch(pdp.url + path, { method, headers: { 'x-request-id': 'r' } });
  expect([answer.status, answer.headers.get('allow'), answer.headers.get('x-request-id')]).toEqual([
    status,
    allow,
    'r',
  ]);
});

test('a body of 1 MiB is read, a longer one is a 413, with or without content-length', async () => {
  const pdp = await servePdp(createLibrary());
  const padded = (bytes: number) => {
    const text = JSON.stringify({ ...question, pad: '' });
    return text.replace('"pad":""', `"pad":"${'x'.repeat(bytes - text.length)}"`);
  };
  expect((await pdp.post(evaluation, padded(1_048_576))).body).toEqual({ decision: true });
  expect((await pdp.post(evaluation, padded(1_048_577))).status).toBe(413);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const body = new Blob([padded(3_000_000)]).stream();
  const chunked = await fetch(pdp.url + evaluation, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  expect(chunked.status).toBe(413);
  // The connection can be used again.
  expect((await pdp.post(evaluation, question)).status).toBe(200);
});

test('a decider that fails is a 5xx without its message, never a decision', async () => {
  const secret = 'the password is hunter2';
  const fail = () => {
    throw new Error(secret);
  };
  const pdp = await servePdp({ evaluate: fail, evaluateMany: fail });
  for (const [path, body] of [
    [evaluation, question],
    ['/access/v1/evaluations', { evaluations: [question] }],
  ] as const) {
    const answer = await pdp.post(path, body);
    expect(answer).toMatchObject({ status: 500, body: 'Internal error' });
    expect(answer.text).not.toContain('hunter2');
  }
});

test.each([
  ['nothing', undefined],
  ['a list of another length', { allowed: true, items: [] }],
  ['a text', 'Allow'],
])('an answer of the decider that is %s is a 500', async (_name, said) => {
  // The cast: a decider in JavaScript.
  const decide = (() => said) as never;
  const pdp = await servePdp({ evaluate: said === undefined ? decide : () => 5 as never, evaluateMany: decide });
  expect((await pdp.post(evaluation, question)).status).toBe(500);
  expect((await pdp.post('/access/v1/evaluations', { evaluations: [question] })).status).toBe(500);
});

test('a client decides, by the services, and its failure is a 503', async () => {
  await using mock = await createMock({
    policies: { all: { statements: [{ effect: 'Allow', actions: ['book:read'], resources: ['book:*'] }] } },
    roles: { reader: { policies: ['all'] } },
    bindings: [
      { user: 'ann', role: 'reader', scope: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } },
    ],
  });
  const pdp = await servePdp(createClient(mock.connection));
  expect((await pdp.post(evaluation, question)).body).toEqual({ decision: true });
  const long = { ...question, subject: { type: 'user', id: 'x'.repeat(5_000) } };
  const { body } = await pdp.post('/access/v1/evaluations', { evaluations: [question, long] });
  expect(body).toEqual({ evaluations: [{ decision: true }, { decision: false }] });
  mock.fail({ path: '/evaluate', status: 503 });
  const answer = await pdp.post(evaluation, question);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('5');
});

test.each<[name: string, options: object, field: string]>([
  ['a missing url', { url: undefined }, 'url'],
  ['http that is not loopback', { url: 'http://pdp.example.com' }, 'url'],
  ['a host that begins like loopback', { url: 'http://127.0.0.1.example.com' }, 'url'],
  ['a query', { url: 'https://pdp.example.com?x=1' }, 'url'],
  ['a fragment', { url: 'https://pdp.example.com#x' }, 'url'],
  ['a password', { url: 'https://a:b@pdp.example.com' }, 'url'],
  ['no authenticate', { authenticate: undefined }, 'authenticate'],
  ['false as authenticate', { authenticate: false }, 'authenticate'],
  ['an unknown rule for ids', { mapping: { ids: 'any' } }, 'mapping.ids'],
  ['an unknown option of the mapping', { mapping: { type: 'user' } }, 'mapping.type'],
  ['candidates as text', { candidates: { resources: 'all' } }, 'candidates.resources'],
  ['an unknown option', { secret: 'x' }, 'secret'],
])('%s is refused', async (_name, options, field) => {
  // The cast: a program in JavaScript.
  const given = { url: 'https://pdp.example.com', authenticate: 'none', ...options } as unknown as PdpOptions;
  const error = await failureOf((async () => createPdp(createEvaluator(), given))());
  expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field });
});

test.each(['http://localhost:1', 'http://a.localhost', 'http://127.0.0.2', 'http://[::1]:8080', 'https://a.b/c'])(
  'the url %s is accepted',
  (url) => {
    expect(createPdp(createEvaluator(), { url, authenticate: 'none' })).toEqual(expect.any(Function));
  },
);

test.each([5, {}, { evaluate() {} }])('a decider that is %o is refused', async (decider) => {
  const options = { url: 'https://a.b', authenticate: 'none' } as const;
  // The cast: a program in JavaScript.
  const error = await failureOf((async () => createPdp(decider as never, options))());
  expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'decider' });
});
