import { expect, test } from 'vitest';
import { createReplica, type ReplicaTransport } from '../../../src/enforce/replica/index.ts';
import { hideHeader, toReplicaFailure } from '../../../src/enforce/replica/replica-failure.ts';
import { credentials } from '../../../src/index.ts';
import { encodings, jwt, passwords } from '../../support/secret-encodings.ts';

/** The failure in a status for a gRPC error that quotes a text. */
const shown = (text: string, authorization: string, code = 7) =>
  toReplicaFailure(hideHeader(Object.assign(new Error(`[x] ${text}`), { rawMessage: text, code }), authorization), 'o');

const basic = (password: string) => `Basic ${Buffer.from(`alice:${password}`).toString('base64')}`;

test('an error of a stream shows nothing of its authorization header, in any encoding', () => {
  let combinations = 0;
  const secrets = [...passwords.map((text) => [text, basic(text)] as const), [jwt, `Bearer ${jwt}`] as const];
  for (const [secret, header] of secrets) {
    const cuts = [secret, secret.slice(0, 8), secret.toUpperCase(), header.slice(header.indexOf(' ') + 1)];
    for (const text of [...cuts, ...Object.values(encodings).map((encode) => encode(secret)), header]) {
      combinations += 1;
      const { message, code } = shown(`token ${text} is not valid`, header);
      expect([text, message, code]).toEqual([text, expect.stringMatching(/^message omitted/), 'PERMISSION_DENIED']);
    }
  }
  expect(combinations).toBeGreaterThan(150);
  expect(shown('not allowed to read policies', basic('plainpassword')).message).toBe('not allowed to read policies');
});

test('a truncated token that no longer looks like a token is not shown', () => {
  expect(shown(`bad ${jwt.slice(50, 90)}`, `Bearer ${jwt}`).message).toMatch(/^message omitted/);
});

test('keeps the runtime’s code and cause', () => {
  const cause = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
  const error = Object.assign(new Error('x', { cause }), { code: 14 });
  expect(toReplicaFailure(hideHeader(error, undefined), 'http://a.test').message).toMatch(/nothing listens there/);
});

test('status and events hide the header of their own stream, even after the token has changed', async () => {
  const old = 'old-token-0123456789-abcdefghij';
  let current = old;
  // Each stream fails after the credentials have got another token, and quotes its own.
  const next = (authorization: string | undefined) => () => {
    current = 'new-token-0123456789-klmnopqrst';
    return Promise.reject(Object.assign(new Error(`no longer valid: ${authorization}`), { code: 7 }));
  };
  const transport: ReplicaTransport = {
    open: (_call, authorization) => ({ [Symbol.asyncIterator]: () => ({ next: next(authorization) }) }),
    close: () => {},
  };
  const replica = createReplica({ transport, credentials: credentials.bearer(() => current) });
  await expect(replica.ready({ timeout: 2_000 })).rejects.toThrow();
  expect(replica.status.lastError).toMatchObject({ message: expect.stringMatching(/^message omitted/) });
  await replica.close();
});
