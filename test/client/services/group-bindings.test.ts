import { describe, expect, test } from 'vitest';
import { isNotFound } from '../../../src/index.ts';
import { everything } from '../../support/calls.ts';
import { failureOf } from '../../support/failure.ts';
import { clientOver } from './support.ts';

const request = { group: 'devs ü', role: 'r:1', scope: everything };
const answer = { group: 'devs ü', role: 'r:1', scope: everything, index: 3 };
const unknownPath = () => Response.json({ code: 5, message: 'Not Found', details: [] }, { status: 404 });

describe('the calls of group bindings', () => {
  test('are those of users below /group/, and return what was written with its revision', async () => {
    const { client, sent } = clientOver(({ method }) => (method === 'GET' ? { bindings: [answer] } : answer));
    const { groupBindings } = client.authorization;
    expect(await groupBindings.list('devs ü')).toMatchObject([{ role: 'r:1', scope: everything }]);
    const written = await groupBindings.assign(request);
    expect(written).toMatchObject({ ...answer, revision: expect.stringMatching(/^v1\.groupBinding\.3\./) });
    await groupBindings.replaceScope(request);
    await groupBindings.remove({ group: 'devs ü', role: 'r:1' });
    const path = '/_management/permissions/group/devs%20%C3%BC/role';
    expect(sent.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', path, undefined],
      ['POST', `${path}/r%3A1`, { scope: everything }],
      ['PUT', `${path}/r%3A1`, { scope: everything }],
      ['DELETE', `${path}/r%3A1`, undefined],
    ]);
  });

  test('the revision of a group differs from that of a user with the same names', async () => {
    const { client } = clientOver(({ path }) => ({
      ...answer,
      [path.includes('/group/') ? 'group' : 'user']: 'devs ü',
    }));
    const { bindings, groupBindings } = client.authorization;
    const ofUser = await bindings.assign({ user: 'devs ü', role: 'r:1', scope: everything });
    const ofGroup = await groupBindings.assign(request);
    expect(ofUser.revision.replace('binding', 'groupBinding')).toBe(ofGroup.revision);
    expect(ofGroup).not.toHaveProperty('user');
  });

  test('a group without a name in the answer is not read as one', async () => {
    const { client } = clientOver(() => ({ user: 'devs', role: 'r', scope: null, index: 1 }));
    const error = await failureOf(client.authorization.groupBindings.assign(request));
    expect(error).toMatchObject({ code: 'SCHEMA', issues: [{ path: ['group'] }] });
  });

  test('upsert writes only what differs', async () => {
    let stored: object[] = [];
    const { client, sent } = clientOver(({ method }) => (method === 'GET' ? { bindings: stored } : answer));
    const { groupBindings } = client.authorization;
    expect(await groupBindings.upsert(request)).toMatchObject({ group: 'devs ü', index: 3, changed: true });
    stored = [answer];
    expect(await groupBindings.upsert(request)).toMatchObject({ ...request, changed: false });
    expect(await groupBindings.upsert({ ...request, scope: { statements: [] } })).toMatchObject({ changed: true });
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET', 'GET', 'PUT']);
  });
});

describe('arguments that are refused before anything is sent', () => {
  test.each([
    ['', 'must not be empty'],
    [7, 'expected a string'],
    ['x'.repeat(1_025), '1024'],
    ['a/b', 'must not hold a "/"'],
  ])('a group %j', async (group, why) => {
    const { client, sent } = clientOver(() => answer);
    const { groupBindings } = client.authorization;
    const [named, listed] = [{ ...request, group: group as string }, group as string];
    const calls = [groupBindings.list(listed), groupBindings.assign(named), groupBindings.upsert(named)];
    for (const call of [...calls, groupBindings.remove({ group: listed, role: 'r' })]) {
      const error = await failureOf(call);
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'group' });
      expect(error.message).toContain(why);
      expect(error.path).toBe('/_management/permissions/group/');
    }
    expect(sent).toEqual([]);
  });

  test('a ":" without allowColon, and fields of the other kind', async () => {
    const { client, sent } = clientOver(() => answer);
    const { bindings, groupBindings } = client.authorization;
    const colon = { ...request, group: 'a:b' };
    const error = await failureOf(groupBindings.assign(colon));
    expect(error.message).toContain('a ":" also binds groups named by its prefixes: set allowColon: true');
    await expect(groupBindings.assign({ ...request, user: 'u' } as never)).rejects.toMatchObject({ field: 'user' });
    await expect(bindings.assign({ ...request, user: 'u' } as never)).rejects.toMatchObject({ field: 'group' });
    expect(sent).toEqual([]);
    await groupBindings.assign({ ...colon, allowColon: true });
    expect(sent).toHaveLength(1);
  });
});

describe('a platform without group bindings', () => {
  test('the error says what the call needs, without the user, and keeps the rest of the answer', async () => {
    const { client } = clientOver(unknownPath);
    const { authorization } = client;
    const calls = [
      authorization.groupBindings.list('devs'),
      authorization.groupBindings.upsert(request),
      authorization.refreshSidecar(),
    ];
    for (const error of await Promise.all(calls.map(failureOf))) {
      expect(error).toMatchObject({ status: 404, grpcCode: 5, body: { message: 'Not Found' } });
      expect(error.message).toMatch(/ failed: 404 Not Found: needs a newer platform$/);
      expect(isNotFound(error)).toBe(true);
    }
  });

  test('is not blamed if a binding is missing, the service fails, or the call is about users', async () => {
    const missing = () => Response.json({ code: 5, message: 'Group role binding not found' }, { status: 404 });
    for (const [answer, text] of [
      [missing, 'failed: 404 Group role binding not found'],
      [() => Response.json({ code: 14, message: 'm' }, { status: 503 }), 'failed: 503 m'],
    ] as const) {
      const { client } = clientOver(answer);
      const error = await failureOf(client.authorization.groupBindings.replaceScope(request));
      expect(error.message.endsWith(text)).toBe(true);
    }
    const { client } = clientOver(unknownPath);
    expect((await failureOf(client.authorization.bindings.list('u'))).message).toMatch(/404 Not Found$/);
  });
});

test('refreshSidecar posts to the path of the RPC', async () => {
  const { client, sent } = clientOver(() => ({}));
  expect(await client.authorization.refreshSidecar()).toBe(undefined);
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /_integration/authorization/v1/refresh']);
});
