import {
  createEvaluator,
  type Fidelity,
  type Policy,
  type PolicyState,
  type Statement,
} from '../../../src/policy/index.ts';

export const allow = (...resources: string[]): Statement => ({ effect: 'Allow', actions: ['*'], resources });
export const deny = (...resources: string[]): Statement => ({ effect: 'Deny', actions: ['*'], resources });
export const policy = (...statements: Statement[]): Policy => ({ statements });
export const everywhere = policy(allow('*'));
export const broken = policy(allow('*x*'), deny('*'));

export const granted = { effect: 'Allow', message: 'Access Granted', allowed: true };
export const denied = { effect: 'Deny', message: 'Permission denied', allowed: false };

export const state: PolicyState = {
  policies: {
    reader: policy({ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }),
    secret: policy(deny('secret')),
  },
  roles: {
    viewer: { policies: ['reader'] },
    careful: { policies: ['missing', 'reader', 'secret'] },
    scoped: { policies: ['reader'], scope: policy(allow('public:*'), deny('public:secret')) },
    blocked: { policies: ['reader'], scope: policy(deny('*')) },
  },
  bindings: [
    { user: 'alice', role: 'viewer', scope: everywhere },
    { user: 'bob', role: 'careful', scope: policy(allow('a', 'secret', 'b:*')) },
    { user: 'carol', role: 'viewer' },
    { user: 'dave', role: 'viewer', scope: null },
    { user: 'erin', role: 'nothing', scope: everywhere },
  ],
};

/** `alice orders:read x` as a request. */
export function ask(text: string, fidelity: Fidelity = 'documented', of: PolicyState = state) {
  const [user = '', action = '', resource = ''] = text.split(' ');
  return createEvaluator(of, { fidelity }).evaluate({ user, action, resource });
}
