import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createMockConsole } from '../../../src/console/mock/mock-api.js';
import { createMock } from '../../../src/mock/index.js';
import { example } from '../../../src/tools/playground/example.js';
import { mostShared, packState, unpackState } from '../../../src/tools/playground/shared-state.js';

const pack = (value: string | object) =>
  deflateRawSync(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** The state of a mock as its console gives it. */
async function stateOf(config: Parameters<typeof createMock>[0]) {
  const mock = await createMock(config);
  return createMockConsole(mock).state();
}

test('packs policies, roles and bindings, and unpacks them for another mock', async () => {
  const first = await stateOf(example);
  const packed = await packState(first);
  expect(packed).toMatch(/^[\w-]+$/);
  const second = await stateOf(await unpackState(packed ?? ''));
  for (const field of ['policies', 'roles', 'bindings'] as const) expect(second[field]).toEqual(first[field]);
});

test('leaves users, passwords, keys and tokens out', async () => {
  const secrets = { users: [{ name: 'dora', password: 'canary-password' }] };
  const config = { ...example, ...secrets, authentication: { keys: { active: 'canary-key-0123456789' } } };
  const packed = await packState(await stateOf(config));
  const unpacked = await unpackState(packed ?? '');
  expect(Object.keys(unpacked)).toEqual(['policies', 'roles', 'bindings']);
  expect(JSON.stringify(unpacked)).not.toMatch(/canary|dora/);
});

test('packs no state that is too long for an address', async () => {
  const random = () => crypto.randomUUID();
  const statements = Array.from({ length: 2_000 }, () => ({
    effect: 'Allow' as const,
    actions: [`orders:${random()}`],
    resources: [random()],
  }));
  expect(await packState(await stateOf({ policies: { long: { statements } } }))).toBeUndefined();
});

const other = /may hold policies, roles and bindings, and nothing else/;
const unreadable = /cannot be read/;

test.each([
  ['users with passwords', pack({ users: [{ name: 'eve', password: 'pw' }] }), other],
  ['keys', pack({ ...example, authentication: { keys: { active: 'x'.repeat(40) } } }), other],
  ['routes', pack({ routes: [{ path: '/x', body: '<script>' }] }), other],
  ['an own __proto__', pack('{"__proto__":{"policies":{}}}'), other],
  ['a list', pack('[]'), other],
  ['null', pack('null'), other],
  ['text', pack('"policies"'), other],
  ['no JSON', pack('{policies'), unreadable],
  ['invalid UTF-8', deflateRawSync(Buffer.from([0x22, 0xff, 0x22])).toString('base64url'), unreadable],
  ['a half of an address', pack(example).slice(0, 40), unreadable],
  ['no base64', '!!', unreadable],
  ['nothing', '', unreadable],
  ['more characters than it may have', 'A'.repeat(mostShared + 1), /more than 32768 characters/],
  ['a bomb', pack(`"${'a'.repeat(20_000_000)}"`), /unpacks to more than 1048576 bytes/],
])('refuses %s', async (_, text, message) => {
  await expect(unpackState(text)).rejects.toThrow(message);
});

test.each([
  ['an unknown effect', { policies: { p: { statements: [{ effect: 'Maybe', actions: ['*'], resources: ['*'] }] } } }],
  ['a policy that is text', { policies: { p: '<img src=x onerror=alert(1)>' } }],
  ['a binding without a user', { bindings: [{ role: 'r' }] }],
  ['roles as a number', { roles: 7 }],
  [
    'a pattern that is an object',
    { policies: { p: { statements: [{ effect: 'Allow', actions: [{}], resources: [] }] } } },
  ],
])('leaves %s to the checks of the mock, which refuse it', async (_, config) => {
  const unpacked = await unpackState(pack(config));
  await expect(createMock(unpacked)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});

test('takes names like __proto__ as names', async () => {
  const text = '{"policies":{"__proto__":{"statements":[]},"constructor":{"statements":[]}}}';
  const { policies } = await stateOf(await unpackState(pack(text)));
  expect(policies.map(({ name }) => name).sort()).toEqual(['__proto__', 'constructor']);
  expect(Object.prototype).not.toHaveProperty('statements');
});
