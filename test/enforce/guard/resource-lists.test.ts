import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ParameterStyle } from '../../../src/base/openapi-document/parameter-style.ts';
import { writeParameter } from '../../../src/base/openapi-document/write-parameter.ts';
import { createGuard, guardOperation, operationGuards } from '../../../src/enforce/guard/index.ts';
import { createClient, type InvalidArgumentError } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { guardOf } from '../../support/guards.ts';
import { runsOf } from '../../support/thorough.ts';

const integers = { type: 'array', items: { type: 'integer' } };
const texts = { type: 'array', items: { type: 'string' } };

/** A document with one operation, whose resource is `o:{ids}` unless another one is given. */
const documentOf = (path: string, parameter: object, resource = 'o:{ids}') => ({
  paths: {
    [path]: {
      get: { 'x-permission': { action: 'o:read', resource }, parameters: [{ name: 'ids', in: 'path', ...parameter }] },
    },
  },
});
const inPath = (parameter: object, resource?: string) => documentOf('/o/{ids}', parameter, resource);
const inQuery = (parameter: object, resource?: string) => documentOf('/o', { in: 'query', ...parameter }, resource);

/** The resources that a guard was asked about, of which it denies some. */
function askedBy(isAllowed: (resource: string) => boolean = () => true) {
  const asked: string[] = [];
  const guard = guardOf(async (_, { resource }) => {
    asked.push(resource);
    const refused = { allowed: false, status: 403, headers: {}, body: {}, response: new Response() };
    return (isAllowed(resource) ? { allowed: true, status: 200, token: 't' } : refused) as never;
  });
  return { guard, asked };
}

/** The resources of a request in front of a router, or `denied`. */
async function resourcesOf(document: object, url: string): Promise<readonly string[] | string> {
  const { guard, asked } = askedBy();
  const { allowed } = await guardOperation(guard, document)({ headers: {}, method: 'GET', url });
  return allowed ? asked : 'denied';
}

/** The resources of a handler's parameters, or `denied`. */
async function resourcesBeside(document: object, parsed: object): Promise<readonly string[] | string> {
  const { guard, asked } = askedBy();
  const [path = ''] = Object.keys((document as { paths: object }).paths);
  const { allowed } = await operationGuards(guard, document)
    .for(`GET ${path}`)
    .check({ headers: {} }, parsed as { params: { ids: string } });
  return allowed ? asked : 'denied';
}

describe('a guard asks about each item of a list', () => {
  test.each<[string, object, string, readonly string[] | string]>([
    ['simple', { schema: integers }, '/o/1,2', ['o:1', 'o:2']],
    ['simple, one item', { schema: integers }, '/o/1', ['o:1']],
    ['simple, an item twice', { schema: integers }, '/o/1,1', ['o:1']],
    ['simple, encoded', { schema: texts }, '/o/a%20b,c', ['o:a b', 'o:c']],
    ['simple, an empty item', { schema: integers }, '/o/1,', 'denied'],
    ['simple, empty items alone', { schema: integers }, '/o/,', 'denied'],
    ['simple, another spelling', { schema: integers }, '/o/1,02', 'denied'],
    ['simple, an encoded comma', { schema: texts }, '/o/a%2Cb', 'denied'],
    ['simple, a colon', { schema: texts }, '/o/a,b:c', 'denied'],
    ['label', { schema: integers, style: 'label' }, '/o/.1,2', ['o:1', 'o:2']],
    ['label, exploded', { schema: integers, style: 'label', explode: true }, '/o/.1.2', ['o:1', 'o:2']],
    ['label, an encoded dot', { schema: texts, style: 'label', explode: true }, '/o/.a%2Eb', 'denied'],
    ['label, without its dot', { schema: integers, style: 'label' }, '/o/1,2', 'denied'],
    ['label of a value', { schema: { type: 'integer' }, style: 'label' }, '/o/.7', ['o:7']],
    ['label of a value, without its dot', { schema: { type: 'integer' }, style: 'label' }, '/o/7', 'denied'],
  ])('in a path, %s', async (_, parameter, url, expected) => {
    expect(await resourcesOf(inPath(parameter), url)).toEqual(expected);
  });

  test.each<[string, object, string, readonly string[] | string]>([
    ['form, exploded', {}, 'ids=1&ids=2', ['o:1', 'o:2']],
    ['form, exploded, beside others', {}, 'a=1&ids=2&id=3', ['o:2']],
    ['form, exploded, with a comma', {}, 'ids=1,2', 'denied'],
    ['form, exploded, one empty', {}, 'ids=1&ids=', 'denied'],
    ['form, exploded, none', {}, '', 'denied'],
    ['form, exploded, others alone', {}, 'id=1', 'denied'],
    ['form', { explode: false }, 'ids=1,2', ['o:1', 'o:2']],
    ['form, twice', { explode: false }, 'ids=1&ids=2', 'denied'],
    ['spaceDelimited', { style: 'spaceDelimited', explode: false }, 'ids=1%202', ['o:1', 'o:2']],
    ['pipeDelimited', { style: 'pipeDelimited', explode: false }, 'ids=1%7C2|3', ['o:1', 'o:2', 'o:3']],
    ['under a name of qs', {}, 'ids=1&ids[]=2', 'denied'],
    ['under a name of qs with a number', {}, 'ids=1&ids%5B0%5D=2', 'denied'],
    ['under a name with a dot', {}, 'ids=1&ids.0=2', 'denied'],
    ['under a name in another case', {}, 'ids=1&IDS=2', 'denied'],
    ['behind a semicolon', {}, 'a=1;ids=2&ids=1', 'denied'],
    ['with a fragment', {}, 'ids=1&a=#&ids=2', 'denied'],
    ['undecodable', {}, 'ids=1&a=%zz', 'denied'],
    ['under an encoded name', {}, 'ids=1&%69ds=2', ['o:1', 'o:2']],
  ])('in a query, %s', async (_, parameter, query, expected) => {
    expect(await resourcesOf(inQuery({ schema: integers, ...parameter }), `/o?${query}`)).toEqual(expected);
  });

  test('and denies several values of a query parameter that is not a list', async () => {
    const document = inQuery({ schema: { type: 'integer' } });
    expect(await resourcesOf(document, '/o?ids=7')).toEqual(['o:7']);
    for (const query of ['', '?', '?ids', '?ids=', '?ids=7&ids=7', '?ids=7&ids[]=8', '?ids=7,8', '?ids=07']) {
      expect(await resourcesOf(document, `/o${query}`)).toBe('denied');
    }
  });

  test('and about each pair of two lists', async () => {
    const document = inPath({ schema: integers }, 'o:{ids}:{kinds}');
    const { parameters } = document.paths['/o/{ids}']?.get ?? { parameters: [] };
    parameters.push({ name: 'kinds', in: 'query', schema: texts } as never);
    expect(await resourcesOf(document, '/o/1,2?kinds=a&kinds=b')).toEqual(['o:1:a', 'o:1:b', 'o:2:a', 'o:2:b']);
  });

  test('and takes the parameter of the path before that of the query, and that of the operation before that of the path item', async () => {
    const document = inPath({ schema: integers });
    const item = document.paths['/o/{ids}'];
    item?.get.parameters.push({ name: 'ids', in: 'query', schema: texts } as never);
    Object.assign(item ?? {}, { parameters: [{ name: 'ids', in: 'path', schema: { type: 'string' } }] });
    expect(await resourcesOf(document, '/o/1,2?ids=3')).toEqual(['o:1', 'o:2']);
  });

  test('also if the list may be null, as FastAPI describes it', async () => {
    const document = inQuery({ schema: { anyOf: [integers, { type: 'null' }] } });
    expect(await resourcesOf(document, '/o?ids=1&ids=2')).toEqual(['o:1', 'o:2']);
  });

  test('and keeps each text as it is if the resource says `text`', async () => {
    expect(await resourcesOf(inQuery({ schema: { type: 'array' } }, 'o:{ids:text}'), '/o?ids=07&ids=7')).toEqual([
      'o:07',
      'o:7',
    ]);
  });

  test('up to 1 000 items, and denies more', async () => {
    const of = (count: number) => `/o/${Array.from({ length: count }, (_, index) => index + 1).join()}`;
    expect(await resourcesOf(inPath({ schema: integers }), of(1_000))).toHaveLength(1_000);
    expect(await resourcesOf(inPath({ schema: integers }), of(1_001))).toBe('denied');
  });
});

describe('a check beside a handler', () => {
  test.each<[object, readonly string[] | string]>([
    [{ params: { ids: [1, '2'] } }, ['o:1', 'o:2']],
    [{ params: { ids: '1,2' } }, ['o:1', 'o:2']],
    [{ params: { ids: '1%2C2' } }, 'denied'],
    [{ params: { ids: 7 } }, ['o:7']],
    [{ params: { ids: [] } }, 'denied'],
    [{ params: { ids: [1, ''] } }, 'denied'],
    [{ params: { ids: [1, 2 ** 53] } }, 'denied'],
  ])('reads a path parameter: %j', async (parsed, expected) => {
    expect(await resourcesBeside(inPath({ schema: integers }), parsed)).toEqual(expected);
  });

  test.each<[object, readonly string[] | string]>([
    [{ query: { ids: ['1', '2'] } }, ['o:1', 'o:2']],
    [{ query: { ids: '1' } }, ['o:1']],
    [{ query: { ids: '1,2' } }, 'denied'],
    [{ query: { ids: [] } }, 'denied'],
    [{ query: { ids: { 0: '1' } } }, 'denied'],
    [{ query: { ids: ['1', { a: '2' }] } }, 'denied'],
    [{ query: { ids: ['1', ['2']] } }, 'denied'],
    [{ query: {} }, 'denied'],
    [{ query: 'ids=1' }, 'denied'],
    [{ query: Object.create({ ids: '1' }) }, 'denied'],
    [{ params: { ids: '1' } }, 'denied'],
    [{}, 'denied'],
  ])('reads a query parameter: %j', async (parsed, expected) => {
    expect(await resourcesBeside(inQuery({ schema: integers }), parsed)).toEqual(expected);
  });

  test('does not decode a text again, and takes no list for a value', async () => {
    expect(await resourcesBeside(inPath({ schema: texts }), { params: { ids: '%2e+ b,c' } })).toEqual([
      'o:%2e+ b',
      'o:c',
    ]);
    const one = { schema: { type: 'string' } };
    expect(await resourcesBeside(inQuery(one), { query: { ids: 'a+b %2e' } })).toEqual(['o:a+b %2e']);
    expect(await resourcesBeside(inQuery(one), { query: { ids: ['a', 'b'] } })).toBe('denied');
  });

  test('an operation has only the texts of the path as parameters', async () => {
    const { guard } = askedBy();
    const access = await operationGuards(guard, inPath({ schema: integers }))
      .for('GET /o/{ids}')
      .check({ headers: {} }, { params: { ids: [1, 2] } });
    expect(Object.keys(access)).toEqual(['operation', 'allowed', 'status', 'token']);
    expect(access.operation).toEqual({ method: 'get', path: '/o/{ids}', parameters: { ids: '1,2' } });
  });
});

test.each([
  ['a header', { in: 'header', schema: texts }, /names ids, which is in neither the path nor the query/],
  ['a cookie', { in: 'cookie', schema: texts }, /names ids, which is in neither/],
  ['an object', { in: 'query', schema: { type: 'object' } }, /names ids, which is an object/],
  ['a deep object', { in: 'query', style: 'deepObject', schema: { type: 'object' } }, /names ids, which is an object/],
  ['a content', { in: 'query', content: { 'application/json': {} } }, /names ids, which is an object, a content/],
  ['a matrix', { style: 'matrix', schema: texts }, /in a style that is not supported/],
  ['a style that OpenAPI does not have', { style: 'labelled', schema: texts }, /in a style that is not supported/],
  ['a style of another place', { style: 'form', schema: texts }, /in a style that is not supported/],
  ['a value with delimiters', { in: 'query', style: 'pipeDelimited', schema: { type: 'string' } }, /names ids/],
  ['an exploded delimiter', { in: 'query', style: 'pipeDelimited', explode: true, schema: texts }, /names ids/],
])('%s is refused when the guard is made, by its name', (_, parameter, problem) => {
  const path = 'in' in parameter ? '/o' : '/o/{ids}';
  for (const make of [guardOperation, operationGuards]) {
    expect(() => make(askedBy().guard, documentOf(path, parameter))).toThrow(problem);
  }
});

test('a request is allowed only if each item of its list is, whatever the style', async () => {
  const styles: readonly ParameterStyle[] = ['simple', 'simple*', 'label', 'label*', 'form', 'form*', 'pipeDelimited'];
  const unit = fc.constantFrom('a', 'b', 'c', 'd', 'ü', '%', '&', '=', '+', '.', ',', ' ');
  const item = fc.string({ unit, minLength: 1, maxLength: 2 });
  let allowed = 0;
  const property = fc.asyncProperty(
    fc.constantFrom(...styles),
    fc.array(item, { maxLength: 4 }),
    item,
    async (style, items, denied) => {
      const isQuery = /form|pipe/.test(style);
      const written = writeParameter({ name: 'ids', in: isQuery ? 'query' : 'path', style }, items);
      const parameter = { style: style.replace('*', ''), explode: style.endsWith('*'), schema: texts };
      const { guard, asked } = askedBy((resource) => resource !== `o:${denied}`);
      const document = isQuery ? inQuery(parameter) : inPath(parameter);
      const url = isQuery ? `/o?${written}` : `/o/${written}`;
      const access = await guardOperation(guard, document)({ headers: {}, method: 'GET', url });
      if (!access.allowed) return;
      allowed += 1;
      expect([asked, items.includes(denied), items.length > 0]).toEqual([
        [...new Set(items)].map((one) => `o:${one}`),
        false,
        true,
      ]);
    },
  );
  await fc.assert(property, runsOf(500));
  expect(allowed).toBeGreaterThan(20);
});

test('over a mock: one request, and 403 if one item is denied', async () => {
  const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
  const mock = await createMock({
    users: [{ name: 'alice' }],
    policies: { readers: { statements: [{ effect: 'Allow', actions: ['o:read'], resources: ['o:1', 'o:2'] }] } },
    roles: { reader: { policies: ['readers'] } },
    bindings: [{ user: 'alice', role: 'reader', scope: everything }],
  });
  const client = createClient(mock.connection);
  const { token } = await client.authentication.createToken({ user: 'alice' });
  const check = guardOperation(createGuard(client), inQuery({ schema: integers }));
  const ask = async (query: string, headers: Record<string, string>) =>
    (await check(new Request(`http://service.test/o?${query}`, { headers }))).status;
  const headers = { authorization: `Bearer ${token}` };
  const before = mock.requests.length;
  expect(await ask('ids=1&ids=2', headers)).toBe(200);
  expect(mock.requests.length - before).toBe(1);
  expect(await ask('ids=1&ids=3', headers)).toBe(403);
  expect(await ask('ids=1&ids=2', {})).toBe(401);
});

test('the refusal of a list shows none of the values', async () => {
  const document = inPath({ schema: integers });
  const access = await guardOperation(askedBy().guard, document)({ headers: {}, method: 'GET', url: '/o/1,c4nary' });
  if (access.allowed) throw new Error('allowed');
  expect(String(access.cause)).toBe('TypeError: denied: the parameter ids is not in the one spelling of its type');
  const thrown = await Promise.resolve(resourcesBeside(document, { params: { ids: [{ a: 'c4nary' }] } })).catch(
    (error: InvalidArgumentError) => error,
  );
  expect(String(thrown)).toMatch(/params\.ids: expected text/);
  expect(String(thrown)).not.toContain('c4nary');
});
