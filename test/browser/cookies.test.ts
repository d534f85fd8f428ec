import { createClient, credentials, isSignInRequired } from 'arango-services';
import { expect, inject, test } from 'vitest';

// The page and the gateway are two ports of one host: two origins of one site, which share cookies.
const signIn = { username: 'alice', password: 'canary-password', cookies: true };
const item = { action: 'orders:read', resource: 'order:7' };

const openPage = (crossOrigin: boolean) => {
  const sent: string[] = [];
  const gateway = inject('gatewayUrl');
  const client = createClient({
    url: gateway,
    integrationUrl: gateway,
    gateway: true,
    retry: 0,
    credentials: credentials.cookies({ crossOrigin }),
    observe: ({ method, path }) => sent.push(`${method} ${path}`),
  });
  return { client, sent };
};

test('cookies of another origin are sent with crossOrigin only, and end with the logout', async () => {
  const { client, sent } = openPage(true);
  await client.authentication.login(signIn);
  expect(await client.authentication.identity()).toEqual({ user: 'alice' });
  expect(document.cookie).toContain('X-ArangoDB-Token-JWT=');

  const without = await openPage(false)
    .client.authentication.identity()
    .catch((error: unknown) => error);
  expect([isSignInRequired(without), String(without).includes('canary')]).toEqual([true, false]);

  sent.length = 0;
  const may = () => client.authorization.isAllowed({ self: true, ...item });
  expect(await Promise.all([may(), may(), may()])).toEqual([true, true, true]);
  expect(sent.filter((call) => call === 'GET /_identity')).toHaveLength(1);

  await client.authentication.logout();
  expect(document.cookie).not.toContain('X-ArangoDB-Token-JWT=');
  expect(isSignInRequired(await may().catch((error: unknown) => error))).toBe(true);
});
