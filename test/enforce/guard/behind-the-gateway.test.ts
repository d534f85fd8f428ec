import { describe, expect, test } from 'vitest';
import { createGuard } from '../../../src/enforce/guard/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { clientOver } from '../../client/services/support.ts';
import { allow } from './outcomes.ts';

const token = 'header.claims.signature';
const ask = { action: 'orders:read', resource: 'order:7' };
const url = 'https://orders.test/orders/7';

/** Identity headers of other gateways and proxies, which this gateway does not strip from a caller's request. */
const claims: Readonly<Record<string, string>> = {
  'arangodb-platform-authenticated': 'true',
  'arangodb-platform-user': 'root',
  'arangodb-platform-route': 'orders',
  'x-arango-platform-user': 'root',
  'x-arango-platform-route': 'orders',
  'x-arango-platform-request-id': '2f1c9a6e-6f4b-4b8e-9d2a-000000000000',
  'grpc-metadata-authorization': `Bearer ${token}`,
  'grpcgateway-authorization': `Bearer ${token}`,
  'proxy-authorization': `Bearer ${token}`,
  'x-authorization': `Bearer ${token}`,
  'x-original-authorization': `Bearer ${token}`,
  'x-forwarded-authorization': `Bearer ${token}`,
  'x-forwarded-access-token': token,
  'x-auth-token': token,
  'x-access-token': token,
  'x-api-key': token,
  'x-arangodb-token-jwt': token,
  'x-forwarded-user': 'root',
  'x-forwarded-email': 'root@example.com',
  'x-forwarded-groups': 'admin',
  'x-auth-request-user': 'root',
  'x-remote-user': 'root',
  'remote-user': 'root',
  'x-user': 'root',
  'x-envoy-original-path': `/orders?token=${token}`,
  'x-forwarded-client-cert': 'By=spiffe://cluster/root;Subject="CN=root"',
  'x-ssl-client-s-dn': 'CN=root',
  forwarded: 'for=127.0.0.1;by=gateway;proto=https;user=root',
  'x-forwarded-for': '127.0.0.1',
  'x-real-ip': '127.0.0.1',
  via: '1.1 gateway',
  authentication: `Bearer ${token}`,
  cookie: `X-ArangoDB-OpenID-Session-ID=2f1c9a6e-6f4b-4b8e-9d2a-000000000000; token=${token}; Authorization=Bearer ${token}`,
};

describe.each([false, true])('cookies: %j', (cookies) => {
  const guards = () => {
    const { client, sent } = clientOver(allow.answer);
    const asked: string[] = [];
    const authenticate = async (given: string) => {
      asked.push(given);
      return { superuser: true } as const;
    };
    return {
      all: [createGuard(client, { cookies }), createGuard(createEvaluator(), { cookies, authenticate })],
      asked,
      sent,
    };
  };

  /** Asks every guard in every way; returns the statuses and the number of token checks. */
  async function outcomes(headers: Record<string, string>, at = url): Promise<{ statuses: number[]; asked: number }> {
    const { all, asked, sent } = guards();
    const statuses: number[] = [];
    for (const guard of all) {
      for (const request of [new Request(at, { headers }), { method: 'GET', url: at, headers }, headers]) {
        const accesses = [
          await guard.check(request, ask),
          await guard.checkMany(request, [ask]),
          await guard.authenticate(request),
        ];
        statuses.push(...accesses.map(({ status }) => status));
      }
    }
    return { statuses: [...new Set(statuses)], asked: asked.length + sent.length };
  }

  test.each(Object.keys(claims).filter((name) => name !== 'cookie'))(
    '%s is not a second Authorization',
    async (name) => {
      const { statuses, asked } = await outcomes({ [name]: `Bearer ${token}` });
      expect([statuses, asked]).toEqual([[401], 0]);
    },
  );

  test.each(Object.entries(claims))('%s is not trusted', async (name, value) => {
    expect(await outcomes({ [name]: value })).toEqual({ statuses: [401], asked: 0 });
  });

  test('all headers together are not trusted, nor a token in the URL', async () => {
    expect(await outcomes(claims)).toEqual({ statuses: [401], asked: 0 });
    const inUrl = `${url}?token=${token}&access_token=${token}&authorization=Bearer%20${token}`;
    expect(await outcomes(claims, inUrl)).toEqual({ statuses: [401], asked: 0 });
    expect(await outcomes(claims, `https://root:${token}@orders.test/`).catch(() => 'refused by the runtime')).toBe(
      'refused by the runtime',
    );
  });

  test.each([
    ['basic', `Basic ${btoa('root:pw')}`],
    ['basic, as the gateway passes it', `basic ${btoa('root:')}`],
    ['digest', 'Digest username="root"'],
    ['a token without a scheme', token],
    ['negotiate', `Negotiate ${token}`],
    ['empty, as the gateway leaves it', ''],
  ])('an Authorization that is not a bearer is not trusted, beside all of them: %s', async (_name, authorization) => {
    expect(await outcomes({ ...claims, authorization })).toEqual({ statuses: [401], asked: 0 });
  });

  test('a bearer token is checked, and the other headers do not change its owner', async () => {
    const { all, asked, sent } = guards();
    for (const guard of all) {
      const access = await guard.check(
        new Request(url, { headers: { ...claims, authorization: `bearer ${token}` } }),
        ask,
      );
      expect([access.status, access.token]).toEqual([200, token]);
    }
    expect([asked, sent.map(({ body }) => body)]).toEqual([[token], [{ token, ...ask }]]);
    expect(JSON.stringify([...(sent[0]?.headers ?? [])])).not.toMatch(/root|platform-user/);
  });
});

test('an invalid token stays invalid, whatever else the request claims', async () => {
  const guard = createGuard(createEvaluator(), { authenticate: async () => ({ valid: false }), cookies: true });
  const cookie = `X-ArangoDB-Token-JWT=${token}`;
  for (const one of [{ authorization: `Bearer ${token}` }, { cookie }]) {
    expect((await guard.check(new Request(url, { headers: { ...claims, ...one } }), ask)).status).toBe(401);
  }
});
