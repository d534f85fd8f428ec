import { describe, expect, test } from 'vitest';
import { createPdpClient } from '../../../src/enforce/authzen/index.ts';
import { credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { createEvaluator, type PolicyState } from '../../../src/policy/index.ts';
import { everything } from '../../support/calls.ts';
import { key, servePdp } from './support/pdp-server.ts';

const reader = { statements: [{ effect: 'Allow', actions: ['book:read'], resources: ['book:*'] }] } as const;
const state = {
  policies: { reader },
  roles: { viewer: { policies: ['reader'] } },
  groupBindings: [{ group: 'readers', role: 'viewer', scope: everything }],
} satisfies PolicyState;
const asked = { action: { name: 'read' }, resource: { type: 'book', id: '7' } };
const question = { user: 'ann', action: 'book:read', resource: 'book:7' };
const subject = (properties?: Readonly<Record<string, unknown>>) => ({
  type: 'user',
  id: 'ann',
  ...(properties && { properties }),
});

describe.each(['documented', 'sidecar'] as const)('groups of a subject in %s fidelity', (fidelity) => {
  const evaluator = createEvaluator(state, { fidelity });
  const mapping = { groupsProperty: 'groups' };

  test.each<[name: string, properties: Record<string, unknown> | undefined, decision: boolean]>([
    ['no properties', undefined, false],
    ['the group', { groups: ['others', 'readers'] }, true],
    ['another group', { groups: ['Readers'] }, false],
    ['no groups', { groups: [] }, false],
    ['another property', { roles: ['readers'] }, false],
    ['a text in place of a list', { groups: 'readers' }, false],
    ['a list that holds a number', { groups: ['readers', 7] }, false],
    ['an empty name', { groups: ['readers', ''] }, false],
    ['a name of 1 025 characters', { groups: ['readers', 'x'.repeat(1_025)] }, false],
    ['null', { groups: null }, false],
  ])('decide only as a list of valid names: %s', async (_name, properties, decision) => {
    const pdp = await servePdp(evaluator, { mapping });
    const body = { subject: subject(properties), ...asked };
    expect((await pdp.post('/access/v1/evaluation', body)).body).toEqual({ decision });
    const batch = { ...asked, evaluations: [{ subject: subject(properties) }, { subject: subject() }] };
    expect((await pdp.post('/access/v1/evaluations', batch)).body).toEqual({
      evaluations: [{ decision }, { decision: false }],
    });
  });

  test('count only with groupsProperty, and not from the prototype of the properties', async () => {
    const plain = await servePdp(evaluator);
    const body = { subject: subject({ groups: ['readers'], roles: ['readers'] }), ...asked };
    expect((await plain.post('/access/v1/evaluation', body)).body).toEqual({ decision: false });
    const pdp = await servePdp(evaluator, { mapping });
    const hidden = '{"subject":{"type":"user","id":"ann","properties":{"__proto__":{"groups":["readers"]}}},';
    const forged = hidden + JSON.stringify(asked).slice(1);
    expect((await pdp.post('/access/v1/evaluation', forged)).body).toEqual({ decision: false });
  });

  test('count in searches, too', async () => {
    const subjects = [subject({ groups: ['readers'] }), { type: 'user', id: 'bob' }];
    const pdp = await servePdp(evaluator, { mapping, state: evaluator, candidates: { subjects } });
    const search = { subject: subject({ groups: ['readers'] }), resource: asked.resource };
    expect((await pdp.post('/access/v1/search/action', search)).body).toEqual({ results: [{ name: 'read' }] });
    const found = await pdp.post('/access/v1/search/subject', { ...asked, subject: { type: 'user' } });
    expect(found.body).toEqual({ results: [subjects[0]] });
  });

  test.each(['roles', 'groups', '__proto__'])('are sent by a client as the property %s', async (groupsProperty) => {
    const pdp = await servePdp(evaluator, { mapping: { groupsProperty } });
    const options = { url: pdp.url, credentials: credentials.bearer(key), retry: 0 };
    const client = createPdpClient(groupsProperty === 'roles' ? options : { ...options, mapping: { groupsProperty } });
    expect((await client.evaluate({ ...question, roles: ['readers'] })).allowed).toBe(true);
    expect((await client.evaluate(question)).allowed).toBe(false);
    const { user, ...item } = question;
    expect((await client.evaluateMany({ user, roles: ['readers'], items: [item] })).allowed).toBe(true);
  });

  test('are read by a mock as a client sends them', async () => {
    await using mock = await createMock({ ...state, platform: 'next', fidelity, authzen: true });
    const token = credentials.bearer(await mock.tokens.issue({ user: 'gateway' }));
    const client = createPdpClient({ ...mock.connection, credentials: token });
    expect((await client.evaluate({ ...question, roles: ['readers'] })).allowed).toBe(true);
    expect((await client.evaluate(question)).allowed).toBe(false);
  });
});
