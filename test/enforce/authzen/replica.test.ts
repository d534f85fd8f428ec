import { expect, onTestFinished, test } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import { createReplica } from '../../../src/enforce/replica/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';
import { everything } from '../../support/calls.ts';
import { servePdp } from './support/pdp-server.ts';

const read = { subject: { type: 'user', id: 'alice' }, action: { name: 'read' }, resource: { type: 'doc', id: '1' } };
const users = { subject: { type: 'user' }, action: read.action, resource: read.resource };

test('decides and searches from a replica, which follows the service', async () => {
  const mock = await createMock({
    policies: { readers: { statements: [{ effect: 'Allow', actions: ['doc:read'], resources: ['*'] }] } },
    roles: { reader: { policies: ['readers'] } },
    bindings: [{ user: 'alice', role: 'reader', scope: everything }],
  });
  const replica = createReplica({ transport: mockPool(mock) });
  onTestFinished(async () => {
    await replica.close();
    await mock[Symbol.asyncDispose]();
  });
  await replica.ready();
  const { post } = await servePdp(replica, { state: replica });
  expect((await post('/access/v1/evaluation', read)).body).toEqual({ decision: true });
  expect((await post('/access/v1/search/subject', users)).body).toMatchObject({
    results: [{ type: 'user', id: 'alice' }],
  });
  const changed = new Promise((resolve) => replica.on('change', resolve));
  const admin = createClient({
    ...mock.connection,
    credentials: credentials.bearer(await mock.tokens.issue({ user: null })),
  });
  await admin.authorization.bindings.remove({ user: 'alice', role: 'reader' });
  await changed;
  expect((await post('/access/v1/evaluation', read)).body).toEqual({ decision: false });
  expect((await post('/access/v1/search/subject', users)).body).toMatchObject({ results: [] });
});
