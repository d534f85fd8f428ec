import { describe, expect, test } from 'vitest';
import { addProbe, claimsOf, config, type Gate, type Mode, probe, signIn, ways } from './support.ts';

type Headers = Readonly<Record<string, string>>;
/** The cause of an identity: a bearer token, a token cookie, or a session of mode SSO. */
type Kind = 'bearer' | 'cookie' | 'session';

/** The tokens and cookies of a test. */
interface Material {
  readonly token: string;
  readonly other: string;
  readonly session: string;
}

interface Row {
  readonly name: string;
  readonly headers: (material: Material) => Headers;
  /** What identifies the caller in mode Native and SSO; `undefined` for none. */
  readonly kind: Kind | undefined;
  /** The user, if it is not alice. */
  readonly user?: string;
}

const tokenCookie = 'X-ArangoDB-Token-JWT';

/** The callers of docs/wire.md, "Who the caller is". */
const rows: readonly Row[] = [
  { name: 'a bearer token', headers: ({ token }) => ({ authorization: `bearer ${token}` }), kind: 'bearer' },
  { name: 'a scheme in capitals', headers: ({ token }) => ({ authorization: `BEARER ${token}` }), kind: 'bearer' },
  { name: 'a token cookie', headers: ({ token }) => ({ cookie: `a=1; ${tokenCookie}=${token}` }), kind: 'cookie' },
  {
    name: 'a bad token cookie before a good one',
    headers: ({ token }) => ({ cookie: `${tokenCookie}=bad; ${tokenCookie}=${token}` }),
    kind: 'cookie',
  },
  {
    name: 'a bearer token of bob and a cookie of alice',
    headers: ({ token, other }) => ({ authorization: `Bearer ${other}`, cookie: `${tokenCookie}=${token}` }),
    kind: 'bearer',
    user: 'bob',
  },
  {
    name: 'a bad bearer token and a good cookie',
    headers: ({ token }) => ({ authorization: 'bearer bad', cookie: `${tokenCookie}=${token}` }),
    kind: 'cookie',
  },
  {
    name: 'basic credentials and a cookie',
    headers: ({ token }) => ({ authorization: `Basic ${btoa('root:')}`, cookie: `${tokenCookie}=${token}` }),
    kind: 'cookie',
  },
  { name: 'a session', headers: ({ session }) => ({ cookie: `a=1; ${session}` }), kind: 'session' },
  {
    name: 'a session and a cookie of bob',
    headers: ({ session, other }) => ({ cookie: `${session}; ${tokenCookie}=${other}` }),
    kind: 'cookie',
    user: 'bob',
  },
  {
    name: 'a session and a bad cookie',
    headers: ({ session }) => ({ cookie: `${tokenCookie}=bad; ${session}` }),
    kind: 'session',
  },
  { name: 'nothing', headers: () => ({}), kind: undefined },
  { name: 'a bad bearer token', headers: () => ({ authorization: 'bearer bad' }), kind: undefined },
  { name: 'basic credentials', headers: () => ({ authorization: `Basic ${btoa('root:')}` }), kind: undefined },
  { name: 'a bad token cookie', headers: () => ({ cookie: `${tokenCookie}=bad` }), kind: undefined },
  { name: 'an unknown session', headers: () => ({ cookie: 'X-ArangoDB-OpenID-Session-ID=x' }), kind: undefined },
  {
    name: 'claims of an identity in headers',
    headers: () => ({ 'arangodb-platform-user': 'root', 'arangodb-platform-authenticated': 'true' }),
    kind: undefined,
  },
];

const modes = ['None', 'Native', 'SSO'] as const;
const accesses = (['required', 'optional'] as const).flatMap((authentication) =>
  (['override', 'pass', 'remove'] as const).map((passMode) => ({ authentication, passMode })),
);

/** The kind of an identity that counts in a mode. */
const kindIn = (mode: Mode, { kind }: Row): Kind | undefined =>
  mode === 'None' || (mode === 'Native' && kind === 'session') ? undefined : kind;

async function materialOf(gate: Gate, mode: Mode): Promise<Material> {
  // Mode None signs nothing that it would check.
  if (mode === 'None') return { token: 'a.b.c', other: 'd.e.f', session: 'X-ArangoDB-OpenID-Session-ID=none' };
  return {
    token: await gate.mock.tokens.issue({ user: 'alice', groups: ['viewer'] }),
    other: await gate.mock.tokens.issue({ user: 'bob', groups: ['viewer'] }),
    session: mode === 'SSO' ? await signIn(gate, 'alice') : 'X-ArangoDB-OpenID-Session-ID=none',
  };
}

describe.each(ways)('the gateway through %s', (_, open) => {
  describe.each(modes)('in mode %s', (mode) => {
    test.each(accesses)('passes on the headers of its tables: $authentication, $passMode', async (access) => {
      const gate = await open(config(mode));
      const material = await materialOf(gate, mode);
      const seen = addProbe(gate.mock, access);
      for (const row of rows) {
        seen.headers = undefined;
        const sent = row.headers(material);
        const answer = await gate.send(probe, sent);
        const body = await answer.text();
        const kind = kindIn(mode, row);
        const open = mode === 'None' || (mode === 'Native' && access.authentication === 'optional');
        if (kind === undefined && !open) {
          const refused = mode === 'SSO' ? [307, ''] : [401, '{"message":"Unauthorized"}'];
          expect([row.name, answer.status, body], row.name).toEqual([row.name, ...refused]);
          expect(answer.headers.get('www-authenticate')).toBeNull();
          expect(answer.headers.get('x-arango-platform-request-id')).toBeNull();
          expect(seen.headers).toBeUndefined();
          continue;
        }
        expect([row.name, answer.status, body]).toEqual([row.name, 200, 'here']);
        const { headers = {} } = seen as { headers?: Headers };
        const id = headers['x-arango-platform-request-id'];
        expect(id).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
        expect(answer.headers.get('x-arango-platform-request-id')).toBe(id);
        expect(answer.headers.get('x-arango-platform-route')).toBe('probe');
        const { authorization, cookie } = headers;
        if (kind === undefined) {
          // Untouched.
          expect([row.name, authorization, cookie]).toEqual([row.name, sent.authorization, sent.cookie]);
          const authenticated = mode === 'None' ? sent['arangodb-platform-authenticated'] : 'false';
          expect([row.name, headers['arangodb-platform-authenticated']]).toEqual([row.name, authenticated]);
          expect(headers['arangodb-platform-user']).toBe(sent['arangodb-platform-user']);
          expect(seen.user).toBeUndefined();
          continue;
        }
        expect([row.name, headers['arangodb-platform-authenticated']]).toEqual([row.name, undefined]);
        const { passMode } = access;
        const user = row.user ?? 'alice';
        expect([row.name, seen.user]).toEqual([row.name, passMode === 'remove' ? undefined : user]);
        const isEmptied = kind === 'cookie' && passMode !== 'pass';
        expect([row.name, cookie]).toEqual([row.name, isEmptied ? '' : sent.cookie]);
        if (passMode === 'remove') {
          expect([row.name, authorization]).toEqual([row.name, '']);
        } else if (passMode === 'pass' && kind !== 'session') {
          const own = user === 'bob' ? material.other : material.token;
          expect([row.name, authorization]).toEqual([row.name, `bearer ${own}`]);
        } else {
          const { preferred_username, groups, exp, iat } = claimsOf(authorization);
          const expected = [row.name, user, kind === 'session' ? [] : ['viewer'], 300];
          expect([row.name, preferred_username, groups, Number(exp) - Number(iat)]).toEqual(expected);
          expect(`${authorization}`).not.toContain(material.token);
        }
      }
    });
  });
});
