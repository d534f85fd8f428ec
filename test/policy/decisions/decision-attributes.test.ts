import { expect, test } from 'vitest';
import type { MadeDecision } from '../../../src/policy/decision-line/made-decision.ts';
import { decisionAttributes } from '../../../src/policy/decisions/index.ts';

const decision: MadeDecision = {
  time: '2026-11-23T04:06:12Z',
  traceId: 't',
  spanId: 's',
  requestId: 'req-1',
  subject: { user: 'alice', groups: ['g1', 'g2'] },
  action: 'orders:read',
  resource: '',
  effect: 'Allow',
  reason: 'allowed',
  enforced: false,
  durationUs: 0.7,
  revision: { policies: 41, roles: 7, bindings: 903 },
  because: [{ role: 'viewer', policy: 'reader', statement: 0 }],
  context: { parameters: { ip: { values: ['canary-7d1e'] } } },
};

test('attributes have the names of the line, and no context', () => {
  expect(decisionAttributes(decision)).toEqual({
    requestId: 'req-1',
    'subject.user': 'alice',
    'subject.groups': ['g1', 'g2'],
    action: 'orders:read',
    resource: '',
    effect: 'Allow',
    reason: 'allowed',
    enforced: false,
    durationUs: 0.7,
    'revision.policies': 41,
    'revision.roles': 7,
    'revision.bindings': 903,
    because: ['{"role":"viewer","policy":"reader","statement":0}'],
  });
});

test('fields that no line has do not become attributes', () => {
  const token = 'canary-7d1e';
  const more = { ...decision, token, subject: { user: 'alice', token }, shadow: { effect: 'Deny' as const, token } };
  const attributes = decisionAttributes(more);
  expect(attributes).toMatchObject({ 'subject.user': 'alice', 'shadow.effect': 'Deny' });
  expect(JSON.stringify(attributes)).not.toContain(token);
});

test('the superuser has no subject', () => {
  expect(decisionAttributes({ ...decision, subject: {} })).not.toHaveProperty('subject.user');
});
