import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { verifyToken } from '../../../src/enforce/guard/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { call } from '../../support/calls.ts';

const sentence = /^token keys need crypto\.subtle: [^.]*$/;
const client = { authentication: { keys: async () => ({ keys: [] }) } };
const thrown = (promise: Promise<unknown>) => promise.then(String, ({ message }: Error) => message);

describe.each([
  ['Jest’s jsdom, a page over http', { crypto: { getRandomValues: vi.fn() } }],
  ['no crypto at all', { crypto: undefined }],
])('without crypto.subtle: %s', (_, globals: Readonly<Record<string, unknown>>) => {
  beforeEach(() => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  });
  afterEach(() => void vi.unstubAllGlobals());

  test('each function that needs a key explains it in one sentence', async () => {
    // jest-environment-jsdom has no TextEncoder either.
    vi.stubGlobal('TextEncoder', undefined);
    expect(await thrown(createMock())).toMatch(sentence);
    expect(await thrown(createMock({ authentication: { keys: { active: 'secret' } } }))).toMatch(sentence);
    expect(await thrown(verifyToken('a.b.c', { secret: 'secret' }))).toMatch(sentence);
    expect(await thrown(verifyToken('a.b.c', { client }))).toMatch(sentence);
    const pem = '-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----';
    expect(await thrown(verifyToken('a.b.c', { keys: [pem] }))).toMatch(sentence);
  });

  test.each([{ mode: 'None' as const }, { enabled: false, keys: { active: 'secret', passive: ['other'] } }])(
    'a mock without authentication needs no key: %j',
    async (authentication) => {
      const mock = await createMock({ authentication });
      const question = { user: 'alice', action: 'orders:read', resource: 'orders' };
      expect((await call(mock, 'POST', '/_integration/authorization/v1/evaluate', question)).body.effect).toBe('Deny');
      expect((await call(mock, 'GET', '/_api/version')).status).toBe(200);
      expect((await call(mock, 'POST', '/_integration/authn/v1/createToken', {})).body.token).toBe('');
      mock.restore(mock.snapshot());
      mock.reset();
      expect(await thrown(mock.tokens.issue())).toMatch(sentence);
      expect(await thrown(mock.keys.rotate())).toMatch(sentence);
    },
  );
});
