import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Client, credentials } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOver, type Sent } from './support.ts';

const password = 'canary "password" ü';
const token = 'eyJhbGciOiJIUzI1NiJ9.canary-token.signature';
const answers: readonly [string, (sent: Sent) => unknown][] = [
  [
    'quoted in the message',
    ({ body }) =>
      Response.json(
        {
          code: 3,
          message: `bad value: ${JSON.stringify(body)} ${password} ${token}`,
          details: [{ password, token }],
        },
        { status: 400 },
      ),
  ],
  [
    'in the format of the database',
    () =>
      Response.json(
        { error: true, code: 401, errorNum: 11, errorMessage: `not ${password} ${token}` },
        { status: 401 },
      ),
  ],
  ['as text', () => new Response(`${password} ${token}`, { status: 500, headers: { 'content-type': 'text/plain' } })],
  [
    'in a body that is not JSON',
    () => new Response(`{"token":"${token}" ${password}`, { headers: { 'content-type': 'application/json' } }),
  ],
  [
    'in a wrong shape',
    () => ({ token: { value: token, password }, isValid: token, lifetime: token, effect: token, message: { token } }),
  ],
  [
    'in a redirect',
    () =>
      new Response(null, {
        status: 302,
        headers: { location: `http://${'user'}:canary-token@elsewhere.test/?t=${token}` },
      }),
  ],
  ['in an error of fetch', () => Promise.reject(new TypeError(`${password} ${token}`))],
];
const calls: readonly [string, (client: Client) => Promise<unknown>][] = [
  ['login', ({ authentication }) => authentication.login({ username: 'u', password })],
  ['createToken', ({ authentication }) => authentication.createToken({ user: 'u' })],
  ['validate', ({ authentication }) => authentication.validate(token)],
  ['evaluate', ({ authorization }) => authorization.evaluate({ token, action: 'a:b', resource: 'c' })],
];

/** Everything that a log could show of an error. */
function shown(error: unknown): string {
  const texts: string[] = [
    inspect(error, { depth: 9, showHidden: true, getters: true }),
    JSON.stringify(error),
    String(error),
  ];
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    texts.push(one.message, one.stack ?? '', inspect(Object.getOwnPropertyDescriptors(one), { depth: 9 }));
  }
  return texts.join('\n');
}

const tells = (text: string) => /canary/.test(text);

describe.each(answers)('no error or inspection shows a secret that an answer holds %s', (_where, answer) => {
  test.each(calls)('called by %s', async (_name, call) => {
    const { client } = clientOver(answer, { credentials: credentials.bearer(token) });
    const error = await failureOf(call(client));
    expect(tells(shown(error))).toBe(false);
    expect(error.message).toMatch(/^POST \/_integration\//);
  });

  test.each([
    ['login', credentials.login({ username: 'u', password })],
    ['minted', credentials.minted({ user: 'u', bootstrap: credentials.bearer(token) })],
  ])('called with credentials.%s', async (_name, one) => {
    const { client } = clientOver(answer, { credentials: one });
    const error = await failureOf(client.route('orders').get());
    expect(error.code).toBe('CREDENTIALS');
    expect(tells(shown(error))).toBe(false);
    expect(tells(inspect(client, { depth: 9, showHidden: true }) + inspect(one, { depth: 9, showHidden: true }))).toBe(
      false,
    );
  });
});

test('keeps a service’s text without a secret', async () => {
  const { client } = clientOver(() =>
    Response.json({ code: 16, message: 'Invalid credentials', details: [] }, { status: 401 }),
  );
  const error = await failureOf(client.authentication.login({ username: 'u', password }));
  expect(error.message).toBe('POST /_integration/authn/v1/login failed: 401 Invalid credentials');
});

test('the check for secrets finds one in an error’s cause', () => {
  expect(tells(shown(new Error('a', { cause: new Error('canary') })))).toBe(true);
});
