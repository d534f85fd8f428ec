import { expect, test } from 'vitest';
import { type AuthorizationClient, createClient, isNotFound } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOver } from './support.ts';

type Call = (client: AuthorizationClient) => Promise<unknown>;

const remove: Call = ({ bindings }) => bindings.remove({ user: 'a', role: 'r' });
const removeOfGroup: Call = ({ groupBindings }) => groupBindings.remove({ group: 'a b', role: 'r:1' });
const replace: Call = ({ bindings }) => bindings.replaceScope({ user: 'a', role: 'r', scope: { statements: [] } });
const deletePolicy: Call = ({ policies }) => policies.delete('p');

test.each<[what: string, expected: boolean, call: Call, status: number, code: number, message: string]>([
  ['404', true, remove, 404, 5, 'User role binding not found'],
  ['404 of a policy', true, ({ policies }) => policies.get('p'), 404, 5, 'Policy not found'],
  ['the 500 of a removal', true, remove, 500, 13, 'not found'],
  ['the 500 of the removal of a group', true, removeOfGroup, 500, 13, 'not found'],
  ['a 500 with another text', false, remove, 500, 13, 'not found: user'],
  ['a 500 with another text before it', false, remove, 500, 13, 'key not found'],
  ['a 500 with another code', false, remove, 500, 2, 'not found'],
  ['another status', false, remove, 503, 13, 'not found'],
  ['the 500 of another method', false, replace, 500, 13, 'not found'],
  ['the 500 of another thing', false, deletePolicy, 500, 13, 'not found'],
])('isNotFound tells that an item is missing: %s: %s', async (_, expected, call, status, code, message) => {
  const { client } = clientOver(() => Response.json({ code, message, details: [] }, { status }));
  expect(isNotFound(await failureOf(call(client.authorization)))).toBe(expected);
});

test('isNotFound is false for any other value', async () => {
  for (const value of [undefined, null, 404, { status: 404 }, new Error('404'), { code: 'HTTP', status: 404 }]) {
    expect(isNotFound(value)).toBe(false);
  }
  const refused = createClient({ url: 'http://127.0.0.1:1', retry: 0 }).authorization;
  expect(isNotFound(await failureOf(remove(refused)))).toBe(false);
});
