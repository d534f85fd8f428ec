import { describe, expect, test } from 'vitest';
import { resourceFilter, whoCan } from '../../../src/policy/analysis/index.ts';
import { createLibrary, ids, may, names, resources, types, users } from './support/library.ts';
import { servePdp } from './support/pdp-server.ts';

const start = () => {
  const state = createLibrary();
  return servePdp(state, { state, candidates: { resources } });
};

const results = (body: unknown) => (body as { results: { id?: string; name?: string }[] }).results;

/** Runs the searches, and collects those with another answer. */
async function differing<T>(
  kind: string,
  cases: readonly { readonly question: object; readonly expected: readonly T[] }[],
) {
  const pdp = await start();
  const wrong: unknown[] = [];
  for (const { question, expected } of cases) {
    const { status, body } = await pdp.post(`/access/v1/search/${kind}`, question);
    const sorted = status === 200 ? results(body) : body;
    if (JSON.stringify(sorted) !== JSON.stringify(expected)) wrong.push({ question, status, body, expected });
  }
  return wrong;
}

const subjectCases = names.flatMap((name) =>
  resources.map((resource) => ({
    question: { subject: { type: 'user' }, action: { name }, resource },
    expected: users.filter((user) => may(user, name, resource.type, resource.id)).map((id) => ({ type: 'user', id })),
  })),
);

const resourceCases = users.flatMap((user) =>
  names.flatMap((name) =>
    types.map((type) => ({
      question: { subject: { type: 'user', id: user }, action: { name }, resource: { type } },
      expected: [...ids]
        .sort()
        .filter((id) => may(user, name, type, id))
        .map((id) => ({ type, id })),
    })),
  ),
);

const actionCases = users.flatMap((user) =>
  resources.map((resource) => ({
    question: { subject: { type: 'user', id: user }, resource },
    expected: [...names]
      .sort()
      .filter((name) => may(user, name, resource.type, resource.id))
      .map((name) => ({ name })),
  })),
);

describe('the searches of the AuthZEN library', () => {
  test('find the subjects', async () => {
    expect(subjectCases.length).toBeGreaterThanOrEqual(60);
    expect(await differing('subject', subjectCases)).toEqual([]);
  });

  test('find the resources', async () => {
    expect(resourceCases.length).toBeGreaterThanOrEqual(60);
    expect(await differing('resource', resourceCases)).toEqual([]);
  });

  test('find the actions', async () => {
    // Actions come from the names in policies; `remove` and `write`, which some grant by a wildcard, are named in others.
    expect(actionCases.length).toBeGreaterThanOrEqual(60);
    expect(await differing('action', actionCases)).toEqual([]);
  });
});

test('subjects and resources are those of whoCan and resourceFilter', async () => {
  const state = createLibrary();
  const pdp = await start();
  for (const { type, id } of resources) {
    const action = { name: 'write' };
    const { body } = await pdp.post('/access/v1/search/subject', {
      subject: { type: 'user' },
      action,
      resource: { type, id },
    });
    const granted = whoCan(state, { action: `${type}:write`, resource: `${type}:${id}` }).flatMap(
      ({ user }) => user ?? [],
    );
    expect(results(body).map((one) => one.id)).toEqual(granted);
  }
  for (const user of users) {
    const filter = resourceFilter(state, { user, action: 'map:read' });
    const question = { subject: { type: 'user', id: user }, action: { name: 'read' }, resource: { type: 'map' } };
    const { body } = await pdp.post('/access/v1/search/resource', question);
    expect(results(body).map((one) => one.id)).toEqual([...ids].sort().filter((id) => filter.matches(`map:${id}`)));
  }
});

const ann = { type: 'user', id: 'ann' };
const read = { name: 'read' };

test.each([
  ['an unknown type of subjects', 'subject', { subject: { type: 'robot' }, action: read, resource: resources[0] }],
  ['an unknown resource type', 'resource', { subject: ann, action: read, resource: { type: 'song' } }],
  ['an unknown user', 'resource', { subject: { type: 'user', id: 'zoe' }, action: read, resource: { type: 'book' } }],
  ['an unknown action', 'subject', { subject: { type: 'user' }, action: { name: 'burn' }, resource: resources[0] }],
  ['an unknown user, for actions', 'action', { subject: { type: 'user', id: 'zoe' }, resource: resources[0] }],
  [
    'a resource that is not mapped',
    'subject',
    { subject: { type: 'user' }, action: read, resource: { type: 'a:b', id: '1' } },
  ],
])('%s lists nothing', async (_name, kind, question) => {
  expect(await (await start()).post(`/access/v1/search/${kind}`, question)).toMatchObject({
    status: 200,
    body: { results: [] },
  });
});

test('the id of the searched entity, and the action of an action search, are ignored', async () => {
  const pdp = await start();
  const whole = { subject: ann, action: { name: 'write' }, resource: { type: 'book', id: 'old-1' } };
  expect(results((await pdp.post('/access/v1/search/subject', whole)).body)).toEqual([{ type: 'user', id: 'dora' }]);
  expect(results((await pdp.post('/access/v1/search/resource', { ...whole, action: read })).body)).toHaveLength(5);
  expect(results((await pdp.post('/access/v1/search/action', whole)).body)).toEqual([
    { name: 'lend' },
    { name: 'read' },
  ]);
});

test('candidates come from functions, are filtered by type, and keep their properties', async () => {
  const state = createLibrary();
  const asked: unknown[] = [];
  const pdp = await servePdp(state, {
    state,
    candidates: {
      async *resources(search) {
        asked.push(search.resource.type);
        yield { type: 'book', id: 'b', properties: { shelf: 1 } };
        yield { type: 'book', id: 'b', properties: { shelf: 1 } };
        yield { type: 'film', id: 'a' };
      },
      subjects: async () => [ann, { type: 'user', id: 'zoe' }, { type: 'robot', id: 'ann' }],
      actions: [{ name: 'lend', properties: { days: 7 } }, { name: 'write' }],
    },
  });
  const question = { subject: ann, action: read, resource: { type: 'book', id: 'b' } };
  const found = async (kind: string) => results((await pdp.post(`/access/v1/search/${kind}`, question)).body);
  expect(await found('resource')).toEqual([{ type: 'book', id: 'b', properties: { shelf: 1 } }]);
  expect(asked).toEqual(['book']);
  expect(await found('subject')).toEqual([ann]);
  expect(await found('action')).toEqual([{ name: 'lend', properties: { days: 7 } }]);
});

test('a search uses changes of its evaluator, but a plain state stays as it was loaded', async () => {
  const state = createLibrary();
  const pdp = await servePdp(state, { state });
  const question = { subject: { type: 'user' }, action: { name: 'remove' }, resource: { type: 'map', id: 'new-1' } };
  expect(results((await pdp.post('/access/v1/search/subject', question)).body)).toHaveLength(1);
  state.deleteBinding('cleo', 'cartographer');
  expect(results((await pdp.post('/access/v1/search/subject', question)).body)).toEqual([]);
});
