import { expect, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { type CallEvent, createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';

test('each call of a service has the name of its operation, without names and ids', async () => {
  await using server = await listen(await createMock({ users: [{ name: 'alice', password: 'pw' }] }));
  const seen: string[] = [];
  const observe = ({ operation, code }: CallEvent): void => void seen.push(`${operation} ${code ?? 'ok'}`);
  const login = credentials.login({ username: 'root', password: '' });
  const { authentication, authorization } = createClient({ url: server.url, observe, credentials: login });
  const decisions = '/_integration/authorization/v1/evaluate';
  const authn = '/_integration/authn/v1';
  await authorization.isAllowed({ user: 'alice', action: 'a:b', resource: 'c' });
  await authorization.isAllowed({ token: 'x.y.z', action: 'a:b', resource: 'c' }).catch(() => undefined);
  await authentication.createToken({ user: 'root' });
  await authentication.validate('x.y.z');
  await authorization.policies.get('canary').catch(() => undefined);
  await authorization.bindings.list('canary').catch(() => undefined);
  await authentication.identity({ operation: 'who' });
  expect(seen).toEqual([
    `${authn}/login ok`,
    `${decisions} ok`,
    `${decisions} HTTP`,
    `${authn}/createToken ok`,
    `${authn}/validate ok`,
    expect.stringMatching(/^\/_management\/permissions\/policy\/ /),
    expect.stringMatching(/^\/_management\/permissions\/\S*user\/ /),
    'who ok',
  ]);
});
