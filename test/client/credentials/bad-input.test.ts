import { expect, test } from 'vitest';
import { credentials, isInvalidArgumentError } from '../../../src/index.ts';

const refusals: readonly [string, (value: never) => unknown, unknown, string][] = [
  ['minted', credentials.minted, undefined, 'credentials'],
  ['minted', credentials.minted, 5, 'credentials'],
  ['minted', credentials.minted, { user: '' }, 'credentials.user'],
  ['minted', credentials.minted, { user: 'u', lifetime: 60 }, 'credentials.lifetime'],
  ['minted', credentials.minted, { user: 'u', lifetime: '1h', lifetimeMs: 5 }, 'credentials.lifetimeMs'],
  ['minted', credentials.minted, { user: 'u', groups: ['g', 5] }, 'credentials.groups[1]'],
  ['minted', credentials.minted, { user: 'u', bootstrap: 'canary' }, 'credentials.bootstrap'],
  ['minted', credentials.minted, { user: 'u', ttl: '1h' }, 'credentials.ttl'],
  ['login', credentials.login, undefined, 'credentials'],
  ['login', credentials.login, { username: '', password: 'canary' }, 'credentials.username'],
  ['login', credentials.login, { password: 'canary' }, 'credentials.username'],
  ['login', credentials.login, { password: 'canary', via: 'platform' }, 'credentials.username'],
  ['login', credentials.login, { username: '', password: 'canary', via: 'database' }, 'credentials.username'],
  ['login', credentials.login, { username: 'u', password: 5 }, 'credentials.password'],
  ['login', credentials.login, { username: 'u' }, 'credentials.password'],
  ['login', credentials.login, { username: 'u', password: 'canary', via: 'canary' }, 'credentials.via'],
];

test.each(refusals)('%s rejects at once', (_name, create, value, field) => {
  try {
    // The cast: deliberately wrong.
    create(value as never);
  } catch (error) {
    expect(isInvalidArgumentError(error) && error.field).toBe(field);
    expect(String(error)).not.toContain('canary');
    return;
  }
  expect.fail('expected a refusal');
});

test('keeps nothing of the caller: later changes do not matter', async () => {
  const { createPlatform } = await import('./platform.ts');
  const { client, mock } = await createPlatform();
  const options = { user: 'alice', groups: ['a'] };
  const one = client({ credentials: credentials.minted(options) });
  options.groups.push('b');
  options.user = 'bob';
  await one.route('_echo').get();
  expect(mock.requests.find({ path: '/createToken' })?.body).toMatchObject({ user: 'alice' });
  expect(mock.requests.find({ path: '/createToken' })?.body).toMatchObject({ groups: ['a'] });
});
