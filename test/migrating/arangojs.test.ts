import { readFileSync } from 'node:fs';
import { Database } from 'arangojs';
import { isNetworkError as theirIsNetworkError } from 'arangojs/errors';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, isNetworkError } from '../../src/index.ts';
import { json, open, type Responder } from '../support/server.ts';

// The rows of the table in docs/guides/migrating.md: the same call by arangojs and by this package, to one server.

const content =
  (status: number, type: string, body = ''): Responder =>
  (_wire, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

const answers: Readonly<Record<string, Responder>> = {
  missing: json({ error: true, code: 404, errorNum: 1203, errorMessage: 'collection not found' }, 404),
  gone: content(404, 'text/plain', 'gone'),
  empty: content(200, 'application/json'),
  none: (_wire, response) => void response.writeHead(204).end(),
  problem: content(200, 'application/problem+json', '{"a":1}'),
  bytes: content(200, 'application/octet-stream', 'abc'),
  moved: (_wire, response) => void response.writeHead(303, { location: '/_db/shop/svc/target' }).end(),
};

type Verb = 'GET' | 'POST';
interface Sent {
  readonly method: Verb;
  readonly path: string;
  readonly body?: unknown;
  readonly query?: Record<string, unknown>;
  /** A route and a child of it. */
  readonly headers?: readonly [Record<string, string>, Record<string, string>];
}

const get = (path: string, query?: Record<string, unknown>): Sent => ({ method: 'GET', path, ...(query && { query }) });
const post = (body: unknown, path = 'items'): Sent => ({ method: 'POST', path, body });

/** Runs a call with both; returns the requests and the outcomes. */
async function compare({ method, path, body, query, headers: [above, below] = [{}, {}] }: Sent) {
  const server = await open((wire, response, request) => {
    const answer = answers[wire.target.split(/[/?]/).at(-1) ?? ''] ?? json({ ok: true });
    answer(wire, response, request);
  });
  const db = new Database({ url: server.url, databaseName: 'shop' });
  onTestFinished(() => db.close());
  // The casts: the same values to both, whatever their types accept.
  const qs = query as never;
  const theirs = db.route('svc', above).route('', below);
  const ours = createClient({ url: server.url, database: 'shop' }).route('svc', above).route(below);
  const outcome = async (run: () => Promise<{ body: unknown }>) => {
    const before = server.seen.length;
    const result = await run().then(
      ({ body }) => ({ body, error: undefined }),
      // The cast: the errors of both have fields of these names, or none.
      (error: unknown) => ({ body: undefined, error: error as Record<string, unknown> }),
    );
    const wires = server.seen.slice(before);
    const one = wires[0];
    return {
      ...result,
      targets: wires.map(({ method, target }) => `${method} ${target.replace('/_db/shop/svc/', '')}`),
      sent: one?.body.toString(),
      header: (name: string) => one?.headers.get(name)?.join(),
    };
  };
  return {
    theirs: await outcome(async () => {
      const answer = method === 'GET' ? await theirs.get(path, qs) : await theirs.post(path, body, qs);
      return { body: answer.parsedBody };
    }),
    ours: await outcome(() => ours.request({ method, path, body, qs })),
  };
}

type Outcome = Awaited<ReturnType<typeof compare>>['ours'];
type Look = (outcome: Outcome) => unknown;
const target: Look = ({ targets }) => targets[0];
const parsed: Look = ({ body }) => (body instanceof Uint8Array ? 'bytes' : body);
const errorField =
  (name: string): Look =>
  ({ error }) =>
    error?.[name];
const refused: Look = ({ error, sent }) => (error?.code === 'INVALID_ARGUMENT' ? 'refused' : sent);

/** The name of the row, the call, the compared value, and the values of arangojs and this package. */
const rows: readonly (readonly [row: string, call: Sent, look: Look, theirs: unknown, ours: unknown])[] = [
  ["an error's `code`", get('missing'), errorField('code'), 404, 'HTTP'],
  ["an error's status", get('missing'), errorField('status'), undefined, 404],
  ["an error's `errorNum`", get('missing'), errorField('errorNum'), 1203, 1203],
  ["an error's class", get('missing'), errorField('name'), 'ArangoError', 'HttpError'],
  [
    "an error's `message`",
    get('missing'),
    errorField('message'),
    'collection not found',
    'GET /_db/shop/svc/missing failed: 404 collection not found',
  ],
  ["an error's `reason`", get('missing'), errorField('reason'), undefined, 'collection not found'],
  ['an error that is not JSON', get('gone'), errorField('code'), 404, 'HTTP'],
  ['a list in a query', get('q', { a: [1, 2] }), target, 'GET q?a=1%2C2', 'GET q?a=1&a=2'],
  [
    'a Date in a query',
    get('q', { a: new Date(0) }),
    (one) => String(target(one)).slice(0, 14),
    'GET q?a=Thu+Ja',
    'GET q?a=1970-0',
  ],
  ['`null` in a query', get('q', { a: null }), target, 'GET q?a=null', 'GET q?a='],
  ['`undefined` in a query', get('q', { a: undefined }), target, 'GET q?a=undefined', 'GET q'],
  ['a space in a query', get('q', { a: 'x y' }), target, 'GET q?a=x+y', 'GET q?a=x%20y'],
  ['`#` in a path', get('a#b'), target, 'GET a', 'GET a%23b'],
  ['`%` in a path', get('50%'), target, 'GET 50%', 'GET 50%25'],
  ['a space at the end of a path', get('a '), target, 'GET a', 'GET a%20'],
  ['`?` at the end of a path', get('a?'), target, 'GET a?', 'GET a'],
  ['`..` in a path', get('../x'), (one) => refused(one) || target(one), 'GET /_db/shop/x', 'refused'],
  [
    'a header set again',
    { ...get('q'), headers: [{ 'x-a': '1' }, { 'X-A': '2' }] },
    ({ header }) => header('x-a'),
    '1, 2',
    '2',
  ],
  [
    'the content type of text',
    post('text'),
    ({ header }) => header('content-type'),
    'text/plain',
    'text/plain;charset=UTF-8',
  ],
  ['bytes as a body', post(Uint8Array.of(97, 98)), ({ sent }) => sent, '{"0":97,"1":98}', 'ab'],
  [
    'the content type of bytes',
    post(Uint8Array.of(97)),
    ({ header }) => header('content-type'),
    'application/json',
    undefined,
  ],
  ['a `Buffer` as a body', post(Buffer.from('ab')), ({ sent }) => sent, '{"type":"Buffer","data":[97,98]}', 'ab'],
  ['a `Blob` as a body', post(new Blob(['ab'])), ({ sent }) => sent, '{}', 'ab'],
  ['`URLSearchParams` as a body', post(new URLSearchParams('a=1')), ({ sent }) => sent, '{}', 'a=1'],
  ['`NaN` in a body', post({ a: Number.NaN }), refused, '{"a":null}', 'refused'],
  ['a `Map` in a body', post({ a: new Map([[1, 2]]) }), refused, '{"a":{}}', 'refused'],
  ['`null` as a body', post(null), refused, '', 'refused'],
  [
    'an empty answer of type JSON',
    get('empty'),
    ({ body, error }) => [body, error?.name],
    [undefined, 'SyntaxError'],
    [undefined, undefined],
  ],
  ['204', get('none'), parsed, undefined, undefined],
  ['`application/problem+json`', get('problem'), parsed, '{"a":1}', { a: 1 }],
  ['an answer of bytes', get('bytes'), parsed, 'abc', 'bytes'],
  [
    'a POST that is redirected',
    post({ a: 1 }, 'moved'),
    ({ targets, error }) => [targets.length, error?.code],
    [2, undefined],
    [1, 'REDIRECT'],
  ],
  ["the driver's header", get('q'), ({ header }) => header('x-arango-driver')?.split('/')[0], 'arangojs', undefined],
];

test.each(rows)('arangojs and this package differ as the guide says: %s', async (_row, call, look, theirs, ours) => {
  const both = await compare(call);
  expect([look(both.theirs), look(both.ours)]).toEqual([theirs, ours]);
});

test('`isNetworkError` of an HTTP error that is not JSON', async () => {
  const { theirs, ours } = await compare(get('gone'));
  expect([theirIsNetworkError(theirs.error), isNetworkError(ours.error)]).toEqual([true, false]);
});

test('an unreachable server', async () => {
  const server = await open();
  const { url } = server;
  await server.close();
  const db = new Database({ url, databaseName: 'shop' });
  onTestFinished(() => db.close());
  await expect(db.route('svc').get('x')).rejects.toMatchObject({ name: 'FetchFailedError' });
  const ours = createClient({ url, database: 'shop', retry: 0 }).route('svc');
  await expect(ours.get('x')).rejects.toMatchObject({ name: 'NetworkError', code: 'NETWORK' });
});

test('the guide has exactly one row for each difference', () => {
  const guide = readFileSync(new URL('../../docs/guides/migrating.md', import.meta.url), 'utf8');
  const table = guide.split('## Silent differences')[1]?.split('\n## ')[0] ?? '';
  const names = [...table.matchAll(/^\| (.+?) \| .+ \| .+ \|$/gm)].map(([, name]) => name);
  expect(names).toEqual([
    ...rows.map(([name]) => name),
    '`isNetworkError` of an HTTP error that is not JSON',
    'an unreachable server',
  ]);
});
