import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createGuard, type GuardOptions, toPlain, toResponse } from '../../../src/enforce/guard/index.ts';
import { clientOver, type Sent } from '../../client/services/support.ts';
import { allow, outcomes } from './outcomes.ts';

const token = 'eyJhbGciOiJIUzI1NiJ9.canary-token.signature';
const cookie = `X-ArangoDB-Token-JWT=${token}`;
const ask = { action: 'orders:read', resource: 'order:7' };
const quoting = (status: number) => (): Response =>
  Response.json({ code: 13, message: `bad token ${token}`, details: [{ token }] }, { status });
const all: readonly [string, (sent: Sent) => unknown][] = [
  ...outcomes.map(({ name, answer }): [string, (sent: Sent) => unknown] => [name, answer]),
  ['a failure that quotes the token', quoting(500)],
  ['a refusal that quotes the token', quoting(403)],
  ['a body that quotes the token', () => new Response(token, { headers: { 'content-type': 'application/json' } })],
  ['a fetch that quotes the token', () => Promise.reject(new TypeError(`cannot send ${token}`))],
  ['a shape that quotes the token', () => ({ effect: token, message: token, items: token })],
];

const shown = (value: unknown) => inspect(value, { depth: 9, getters: true }) + JSON.stringify(value);

describe.each<[string, Record<string, string>, GuardOptions]>([
  ['a bearer token', { authorization: `Bearer ${token}` }, { cache: { ttl: '5s' } }],
  ['a cookie', { cookie, 'sec-fetch-site': 'same-origin' }, { cookies: true }],
])('%s is in no log, error or response', (_kind, headers, options) => {
  test.each(all)('%s', async (_name, answer) => {
    const guard = createGuard(clientOver(answer).client, options);
    const accesses = [
      await guard.check(headers, ask),
      await guard.checkMany(headers, [ask]),
      await guard.authenticate(headers),
    ];
    for (const access of accesses) {
      expect(shown(access)).not.toContain('canary');
      expect(shown({ ...access })).not.toContain('canary');
      if (access.response === undefined) continue;
      expect(await access.response.text()).not.toContain('canary');
      expect(shown([...access.response.headers])).not.toContain('canary');
      expect(shown([access.cause, toPlain(access.cause), await toResponse(access.cause).text()])).not.toContain(
        'canary',
      );
    }
    expect(shown(guard)).not.toContain('canary');
  });
});

test('an access returns the token on request', async () => {
  const access = await createGuard(clientOver(allow.answer).client).check({ authorization: `Bearer ${token}` }, ask);
  expect(access.token).toBe(token);
});

test('the reason of a 503 is for the log of the service, not for its caller', async () => {
  const { client } = clientOver(() => Response.json({ code: 13, message: 'disk full' }, { status: 500 }));
  const access = await createGuard(client).check({ authorization: 'Bearer t' }, ask);
  expect(access).toHaveProperty('cause.message', expect.stringContaining('disk full'));
  expect(JSON.stringify(access)).not.toContain('disk');
  expect(await access.response?.text()).not.toContain('disk');
});
