import { expect, test } from 'vitest';
import type { Client, ServiceCallOptions } from '../../../src/index.ts';
import { clientOver } from './support.ts';

const ask = { user: 'u', action: 'a:b', resource: 'c' };
const item = { action: 'a:b', resource: 'c' };
const policy = { statements: [] };
const bound = { user: 'u', role: 'r', scope: policy };

const calls: [name: string, call: (client: Client, options: ServiceCallOptions) => Promise<unknown>][] = [
  ['validate', ({ authentication }, options) => authentication.validate('t', options)],
  ['createToken', ({ authentication }, options) => authentication.createToken({}, options)],
  ['identity', ({ authentication }, options) => authentication.identity(options)],
  ['login', ({ authentication }, options) => authentication.login({ username: 'u', password: 'p' }, options)],
  ['logout', ({ authentication }, options) => authentication.logout({}, options)],
  ['keys', ({ authentication }, options) => authentication.keys(options)],
  ['evaluate', ({ authorization }, options) => authorization.evaluate(ask, options)],
  ['isAllowed', ({ authorization }, options) => authorization.isAllowed(ask, options)],
  ['assertAllowed', ({ authorization }, options) => authorization.assertAllowed(ask, options)],
  ['evaluateMany', ({ authorization }, options) => authorization.evaluateMany({ user: 'u', items: [item] }, options)],
  ['checkSelf', ({ authorization }, options) => authorization.checkSelf(item, options)],
  ['refresh', ({ authorization }, options) => authorization.refresh(options)],
  ['list', ({ authorization }, options) => authorization.policies.list(options).next()],
  ['get', ({ authorization }, options) => authorization.policies.get('p', options)],
  ['create', ({ authorization }, options) => authorization.policies.create('p', policy, options)],
  ['update', ({ authorization }, options) => authorization.policies.update('p', policy, options)],
  ['upsert', ({ authorization }, options) => authorization.policies.upsert('p', policy, options)],
  ['delete', ({ authorization }, options) => authorization.policies.delete('p', options)],
  ['list of a user', ({ authorization }, options) => authorization.bindings.list('u', options)],
  ['assign', ({ authorization }, options) => authorization.bindings.assign(bound, options)],
  ['replaceScope', ({ authorization }, options) => authorization.bindings.replaceScope(bound, options)],
  ['upsert of a binding', ({ authorization }, options) => authorization.bindings.upsert(bound, options)],
  ['remove', ({ authorization }, options) => authorization.bindings.remove({ user: 'u', role: 'r' }, options)],
];

test.each(calls)('%s sends the headers of its options with each of its requests', async (_name, call) => {
  for (const headers of [{ 'x-correlation-id': 'c1' }, () => ({ 'x-correlation-id': 'c1' })]) {
    const { client, sent } = clientOver(() => Response.json({}, { status: 403 }), {
      headers: { 'x-correlation-id': '0' },
    });
    await call(client, { headers }).catch(() => undefined);
    expect(sent.length).toBeGreaterThan(0);
    for (const one of sent) expect(one.headers.get('x-correlation-id')).toBe('c1');
  }
});
