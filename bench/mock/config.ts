import { generateKeyPairSync } from 'node:crypto';
import type { MockConfig } from '../../dist/mock/index.js';

/** A small team: three policies, a user with two roles. */
export const config: MockConfig = {
  policies: {
    'read-only': { statements: [{ effect: 'Allow', actions: ['orders:read', 'orders:list'], resources: ['*'] }] },
    'no-secrets': {
      statements: [
        { effect: 'Deny', actions: ['*'], resources: ['secret:*'] },
        { effect: 'Allow', actions: ['orders:*'], resources: ['shop:*'] },
      ],
    },
    billing: { statements: [{ effect: 'Allow', actions: ['billing:*'], resources: ['tenant:7:*'] }] },
  },
  roles: { viewer: { policies: ['read-only'] }, editor: { policies: ['no-secrets', 'billing'] } },
  bindings: ['viewer', 'editor'].map((role) => ({
    user: 'alice',
    role,
    scope: { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] },
  })),
  authentication: { mode: 'None' },
};

/** The same with an ES256 key and tokens. */
export function es256Config(): MockConfig {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { authentication: { keys: { active: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string } } }; // As asked for, PEM.
}

/** A request and its expected answer. */
export const calls = {
  evaluate: {
    path: '/_integration/authorization/v1/evaluate',
    body: JSON.stringify({ user: 'alice', roles: [], action: 'orders:write', resource: 'shop:1' }),
    answer: '{"message":"Access Granted","effect":"Allow"}',
  },
  echo: {
    path: '/_db/shop/_echo/orders/open',
    body: JSON.stringify({ item: 'order-000001', open: true }),
    answer: undefined,
  },
} as const;
