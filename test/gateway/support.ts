import { inspect } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { type ClientOptions, createClient, credentials } from '../../src/index.ts';
import { createMock, type Mock, type MockConfig } from '../../src/mock/index.ts';

export type Mode = 'None' | 'Native' | 'SSO';
export const modes: readonly Mode[] = ['None', 'Native', 'SSO'];

export const alice = { username: 'alice', password: 'canary-password' };
export const bob = { username: 'bob', password: 'canary-of-bob' };

const read = { effect: 'Allow', actions: ['orders:read'], resources: ['*'] } as const;

/** A platform behind its gateway: alice may read orders, bob may not. */
export async function createPlatform(mode: Mode, more: MockConfig = {}): Promise<Mock> {
  const mock = await createMock({
    authentication: { mode },
    users: [
      { name: 'alice', password: alice.password },
      { name: 'bob', password: bob.password },
      { name: 'root', password: 'canary-of-root' },
    ],
    policies: { read: { statements: [read] } },
    roles: { reader: { policies: ['read'] } },
    bindings: [{ user: 'alice', role: 'reader', scope: { statements: [{ ...read, actions: ['*'] }] } }],
    ...more,
  });
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return mock;
}

/** A request as it left the page. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly credentials: string | undefined;
  readonly body: string;
}

/** A page on the gateway's origin, with the cookies of a browser. */
export function openPage(mock: Mock, options: Partial<ClientOptions> = {}) {
  vi.stubGlobal('location', new URL('http://mock.test/page'));
  onTestFinished(() => void vi.unstubAllGlobals());
  const sent: Sent[] = [];
  const jar = new Map<string, string>();
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url);
    const { method = 'GET', headers, body } = init;
    sent.push({
      method,
      path: pathname,
      headers: new Headers(headers),
      credentials: init.credentials,
      body: String(body ?? ''),
    });
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await mock.fetch(url, { ...init, headers: { ...headers, ...(cookie && { cookie }) } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  };
  const client = createClient({
    url: 'http://mock.test',
    fetch,
    retry: 0,
    gateway: true,
    credentials: credentials.cookies(),
    ...options,
  });
  const paths = () => sent.map(({ path }) => path);
  return { client, sent, paths, jar, fetch };
}

/** Signs a user in by single sign-on, as a browser that follows the redirects does. */
export async function signInBySso({ fetch, jar }: ReturnType<typeof openPage>, path: string, user: string) {
  const first = await fetch(`http://mock.test${path}`, { redirect: 'manual' });
  const state = new URL(first.headers.get('location') ?? '').searchParams.get('state');
  const back = await fetch(`http://mock.test/oauth2/idpresponse?code=${user}&state=${state}`, { redirect: 'manual' });
  jar.delete('X-ArangoDB-OpenID-State');
  return back.headers.get('location');
}

/** Everything that a log shows of a value, the causes of an error included. */
export const shownBy = (value: unknown): string =>
  `${inspect(value, { depth: 9, showHidden: true })}${JSON.stringify(value)}${String((value as Error | undefined)?.stack)}`;
