import { expect, onTestFinished, test, vi } from 'vitest';
import { createVerifier } from '../../../src/enforce/guard/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { es256 } from '../../support/calls.ts';
import { failureOf } from '../../support/failure.ts';

const secret = 'a secret that is long enough for a test';

/** Counts the keys imported from now on. */
function countImports() {
  const imports = vi.spyOn(crypto.subtle, 'importKey');
  onTestFinished(() => imports.mockRestore());
  return imports;
}

test('imports a secret once for all tokens', async () => {
  const mock = await createMock({ authentication: { keys: { active: secret } } });
  const tokens = await Promise.all(['alice', 'bob', 'carol'].map((user) => mock.tokens.issue({ user })));
  const imports = countImports();
  const verify = createVerifier({ secret });
  expect(imports).toHaveBeenCalledTimes(0);
  for (const token of [...tokens, ...tokens]) expect(await verify(token)).toMatchObject({ valid: true });
  expect(imports).toHaveBeenCalledTimes(1);
});

test('imports public keys once for all tokens, and tries the second one, too', async () => {
  const { privatePem, publicPem } = await es256();
  const { publicPem: other } = await es256();
  const mock = await createMock({ authentication: { keys: { active: privatePem } } });
  const verify = createVerifier({ keys: [other, publicPem] });
  const token = await mock.tokens.issue({ user: 'alice' });
  const imports = countImports();
  for (let times = 0; times < 3; times++) expect(await verify(token)).toMatchObject({ valid: true, user: 'alice' });
  expect(imports).toHaveBeenCalledTimes(2);
  expect(await verify(await mock.tokens.forge({ wrongKey: true }))).toEqual({
    valid: false,
    reason: 'signature is invalid',
  });
});

test('the time applies to one token, not to the next', async () => {
  const mock = await createMock({ authentication: { keys: { active: secret } } });
  const token = await mock.tokens.issue({ user: 'alice', lifetime: '10m' });
  const verify = createVerifier({ secret });
  const later = new Date(mock.clock.now() + 11 * 60_000);
  expect(await verify(token, { now: later })).toEqual({ valid: false, reason: 'token is expired' });
  expect(await verify(token)).toMatchObject({ valid: true });
});

test.each([
  ['nothing', {}, 'options: expected one of client, keys and secret'],
  ['two of three', { secret, keys: ['x'] }, 'options: expected one of client, keys and secret'],
  ['no key', { keys: [] }, 'keys: must not be empty'],
  ['a time', { secret, now: new Date() }, 'now: unknown; accepted are client, keys, secret'],
])('rejects %s when it is created', (_what, options, message) => {
  // The cast: a value that JavaScript callers may pass.
  expect(() => createVerifier(options as never)).toThrow(message);
});

test('rejects an invalid key in each verification, whatever the token', async () => {
  const verify = createVerifier({ keys: ['-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----'] });
  for (const token of ['x', 'a.b.c']) {
    expect(await failureOf(verify(token))).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'keys[0]' });
  }
});

test('rejects an argument that is not an object by its name', async () => {
  const verify = createVerifier({ secret });
  expect(() => createVerifier(5 as never)).toThrow(expect.objectContaining({ field: 'options' }));
  expect(await failureOf(verify(5 as never))).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'token' });
  expect(await failureOf(verify('a.b.c', 5 as never))).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'options' });
});
