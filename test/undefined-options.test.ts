import { expect, test } from 'vitest';
import { createPdp } from '../src/enforce/authzen/index.ts';
import { createClient, credentials } from '../src/index.ts';
import { createMock } from '../src/mock/index.ts';
import { readPermissions } from '../src/permissions/index.ts';
import { catalog, compare, excessAccess, statement, whoCan } from '../src/policy/analysis/index.ts';
import { createEvaluator } from '../src/policy/index.ts';
import { messageOf } from './support/option-calls.ts';

// A value that is not set is passed as undefined. Where that would mean more than any value, it is refused.

const mock = await createMock();
const client = createClient(mock.connection);
const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const policies = { all: everywhere };

test.each<[string, string, () => unknown]>([
  ['minted', 'credentials.user', () => credentials.minted({ user: undefined } as never)],
  ['createToken', 'user', () => client.authentication.createToken({ user: undefined } as never)],
  ['tokens.issue', 'user', () => mock.tokens.issue({ user: undefined } as never)],
  ['tokens.forge', 'user', () => mock.tokens.forge({ user: undefined, none: true } as never)],
  ['roles.create', 'scope', () => client.authorization.roles.create('r', { policies: [], scope: undefined } as never)],
  ['excess users', 'users', () => excessAccess({}, [{ action: '*', resource: '*', users: undefined } as never])],
  ['excess roles', 'roles', () => excessAccess({}, [{ action: '*', resource: '*', roles: undefined } as never])],
  ['statement', 'effect', () => statement(catalog.database, 'db:Read', '*', { effect: undefined } as never)],
  [
    'createPdp',
    'subjects',
    () =>
      createPdp(createEvaluator(), {
        url: 'https://a.example',
        authenticate: 'none',
        candidates: { subjects: undefined } as never,
      }),
  ],
])('%s refuses %s: undefined', async (_, field, call) => {
  expect(await messageOf(async () => call(), undefined)).toMatch(new RegExp(`${field}: must not be undefined$`));
});

test('an option that is left out has its default', async () => {
  expect(() => credentials.minted({})).not.toThrow();
  await expect(mock.tokens.issue()).resolves.toContain('.');
});

test('the fidelity of a state counts, unless an option says another one', () => {
  const state = { policies, roles: { admin: { policies: ['all'] } }, bindings: [], fidelity: 'sidecar' } as const;
  const named = { user: 'eve', roles: ['admin'], action: 'a:b', resource: 'c' };
  const item = { action: 'a:b', resource: 'c' };
  expect(createEvaluator(state).isAllowed(named)).toBe(false);
  expect(createEvaluator(state, { fidelity: 'documented' }).isAllowed(named)).toBe(true);
  expect(whoCan(state, item)).toEqual([]);
  expect(whoCan({ ...state, fidelity: undefined }, item)).toMatchObject([{ role: 'admin' }]);
  expect(() => createEvaluator({ fidelity: 'sidcar' } as never)).toThrow(
    'fidelity: expected one of documented, sidecar',
  );
  // A file says no fidelity: it is compared by the rules of the deployment.
  expect(compare(state, { ...state, fidelity: undefined })).toEqual({ gained: [], lost: [] });
  expect(compare({ ...state, fidelity: undefined }, state)).toEqual({ gained: [], lost: [] });
});

test.each(['polices', 'policy', 'role', 'Roles', 'rols', 'binding', 'bindngs', 'fidelty'])(
  'a state with the misspelt key %s is refused, with a suggestion',
  (key) => {
    expect(() => createEvaluator({ [key]: {} } as never)).toThrow(`${key}: unknown (did you mean "`);
    expect(() => whoCan({ roles: {}, [key]: {} } as never, { action: '*', resource: '*' })).toThrow('did you mean');
  },
);

test('a state with keys of files or of a mock is accepted', async () => {
  const file = await readPermissions('p.yaml', { read: () => 'policies: {}' });
  expect(() => createEvaluator(file)).not.toThrow();
  const users = { users: 'all', operator: undefined, indexes: undefined, unread: undefined };
  expect(() => createEvaluator({ policies, ...users } as never)).not.toThrow();
  const config = ['$schema', 'now', 'authentication', 'central', 'authorization', 'users', 'routes', 'services'];
  for (const key of [...config, 'gateway', 'authzen', 'limits', 'name', 'version']) {
    expect(() => createEvaluator({ policies, [key]: {} } as never)).not.toThrow();
  }
});
