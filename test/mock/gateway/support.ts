import { onTestFinished } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createMock, type Mock, type MockConfig, type MockServiceOptions } from '../../../src/mock/index.ts';

export type Mode = 'None' | 'Native' | 'SSO';

/** A mock behind one of its ways in. */
export interface Gate {
  readonly mock: Mock;
  /** Sends a request without following redirects. */
  send(path: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Response>;
}

async function create(config: MockConfig): Promise<Mock> {
  const mock = await createMock(config);
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return mock;
}

/** The ways into a mock that have no limits of their own for headers. */
export const ways: readonly (readonly [name: string, open: (config: MockConfig) => Promise<Gate>])[] = [
  [
    'mock.fetch',
    async (config) => {
      const mock = await create(config);
      const send: Gate['send'] = (path, headers = {}, method = 'GET') =>
        mock.fetch(`http://mock.test${path}`, { method, headers, redirect: 'manual' });
      return { mock, send };
    },
  ],
  [
    'the port',
    async (config) => {
      const mock = await create(config);
      const { url } = await listen(mock);
      const send: Gate['send'] = (path, headers = {}, method = 'GET') =>
        fetch(`${url}${path}`, { method, headers, redirect: 'manual' });
      return { mock, send };
    },
  ],
];

export const config = (mode: Mode): MockConfig => ({
  authentication: { mode },
  users: [{ name: 'alice', password: 'pw' }],
});

/** The path of the service that `addProbe` adds. */
export const probe = '/_service/uds/_db/shop/probe/x';

/** The headers that a service got, by lower-case name, and its user; `undefined` if it got no request. */
export interface Seen {
  headers: Readonly<Record<string, string>> | undefined;
  user: string | undefined;
}

/** Adds a service that keeps what arrives. */
export function addProbe(mock: Mock, options: MockServiceOptions = {}): Seen {
  const seen: Seen = { headers: undefined, user: undefined };
  mock.service(
    'probe',
    {
      '/x': {
        get: ({ request, user }) => {
          Object.assign(seen, { headers: Object.fromEntries(request.headers), user });
          return { body: 'here' };
        },
      },
    },
    options,
  );
  return seen;
}

/** The value of a cookie that an answer sets. */
export const cookieOf = (answer: Response, name: string): string | undefined =>
  answer.headers
    .getSetCookie()
    .find((line) => line.startsWith(`${name}=`))
    ?.slice(name.length + 1)
    .split(';', 1)[0];

/** Signs a user in at the mock's gateway in mode SSO, and returns the session's cookie. */
export async function signIn({ send }: Gate, user: string, path = '/'): Promise<string> {
  const redirect = await send(path);
  const state = new URL(redirect.headers.get('location') ?? '').searchParams.get('state');
  const cookie = redirect.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
  const answer = await send(`/oauth2/idpresponse?code=${user}&state=${state}`, { cookie });
  return `X-ArangoDB-OpenID-Session-ID=${cookieOf(answer, 'X-ArangoDB-OpenID-Session-ID')}`;
}

/** The claims of a token in `bearer <token>`. */
export function claimsOf(authorization: string | undefined): Readonly<Record<string, unknown>> {
  const [, payload = ''] = authorization?.split('.') ?? [];
  return JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}');
}
