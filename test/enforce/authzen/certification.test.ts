import { expect, test } from 'vitest';
import type { ToQuestion } from '../../../src/enforce/authzen/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';
import { everything } from '../../support/calls.ts';
import { servePdp } from './support/pdp-server.ts';

// The scenario of the certification: alice and bob (an admin), an active and an archived record.

const state = {
  policies: {
    readers: { statements: [{ effect: 'Allow', actions: ['record:read'], resources: ['*'] }] },
    writers: {
      statements: [
        { effect: 'Allow', actions: ['record:write', 'record:delete-soft'], resources: ['record:active:*'] },
      ],
    },
    archivists: { statements: [{ effect: 'Allow', actions: ['record:write'], resources: ['record:archived:*'] }] },
  },
  roles: {
    user: { policies: ['readers', 'writers'] },
    admin: { policies: ['archivists'] },
    bob: { policies: ['readers'] },
  },
  bindings: [
    { user: 'alice', role: 'user', scope: everything },
    { user: 'bob', role: 'bob', scope: everything },
    { user: 'bob', role: 'admin', scope: everything },
  ],
} as const;

const mapping: ToQuestion = ({ subject, action, resource }) => {
  if (subject.type !== 'user') return undefined;
  const kind = typeof action.properties?.soft === 'boolean' ? (action.properties.soft ? '-soft' : '-hard') : '';
  const roles = typeof subject.properties?.role === 'string' ? { roles: [subject.properties.role] } : {};
  const status = resource.properties?.status ?? 'active';
  return {
    user: subject.id,
    ...roles,
    action: `record:${action.name}${kind}`,
    resource: `record:${status}:${resource.id}`,
  };
};

const alice = { type: 'user', id: 'alice' };
const bob = { type: 'user', id: 'bob' };
const first = { type: 'record', id: 'record-1' };
const second = { type: 'record', id: 'record-2', properties: { status: 'archived' } };
const admin = { ...bob, properties: { role: 'admin' } };
const softly = (soft: boolean) => ({ name: 'delete', properties: { soft } });
const [read, write] = [{ name: 'read' }, { name: 'write' }];

const start = () => {
  const evaluator = createEvaluator(state);
  return servePdp(evaluator, { mapping, state: evaluator, candidates: { resources: [first, second] } });
};

test.each([
  [1, alice, read, first, true],
  [2, alice, write, first, true],
  [3, bob, read, first, true],
  [4, bob, write, first, false],
  [5, alice, write, second, false],
  [6, { ...alice, properties: { role: 'admin' } }, write, second, true],
  [7, alice, softly(true), first, true],
  [8, alice, softly(false), first, false],
])("the certification's decision %d has its expected answer", async (_number, subject, action, resource, decision) => {
  const pdp = await start();
  const question = { subject, action, resource };
  expect((await pdp.post('/access/v1/evaluation', question)).body).toEqual({ decision });
  expect((await pdp.post('/access/v1/evaluation', question)).body).toEqual({ decision });
});

test.each([
  ['S1', 'subject', { subject: { type: 'user' }, action: read, resource: first }, [alice, bob]],
  ['S2', 'resource', { subject: alice, action: read, resource: { type: 'record' } }, [first, second]],
  ['S3', 'action', { subject: alice, resource: first }, [read, write]],
  ['S4', 'subject', { subject: { type: 'user' }, action: write, resource: second }, [bob]],
  ['S5', 'resource', { subject: admin, action: write, resource: { type: 'record' } }, [second]],
  ['S6', 'action', { subject: admin, resource: second }, [write]],
])("the certification's search %s has its expected results", async (_name, kind, question, expected) => {
  const pdp = await start();
  const { status, body } = await pdp.post(`/access/v1/search/${kind}`, question);
  expect(status).toBe(200);
  expect((body as { results: unknown[] }).results).toEqual(expect.arrayContaining<object>(expected));
});
