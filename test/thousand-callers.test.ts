import { expect, onTestFinished, test, vi } from 'vitest';
import { type Client, createClient, credentials } from '../src/index.ts';
import { createMock } from '../src/mock/index.ts';

test('a thousand callers of client.with at once stay apart, and share the service’s token', async () => {
  // A caller waits 5 s for the login of another; on a busy machine it takes longer.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await using mock = await createMock({ users: [{ name: 'svc', password: 'pw' }] });
  let logins = 0;
  const fetch = (url: string, init: RequestInit) => {
    if (url.endsWith('/login')) logins += 1;
    return mock.fetch(url, init);
  };
  const options = { ...mock.connection, fetch, credentials: credentials.login({ username: 'svc', password: 'pw' }) };
  const client = createClient(options);
  const whoAs = async (one: Client) => (await one.route('_echo').get<{ headers: unknown }>()).status;
  const users = Array.from({ length: 1_000 }, (_, index) => `canary-${index}`);
  const tokens = await Promise.all(users.map((user) => mock.tokens.issue({ user })));
  mock.requests.clear();
  const answers = await Promise.all(
    tokens.map(async (token, index) => {
      const child = client.with({ credentials: credentials.bearer(token), headers: { 'x-index': String(index) } });
      const { user } = await child.authentication.identity();
      await whoAs(client.with({ headers: { 'x-index': String(index) } }));
      return user;
    }),
  );
  expect(answers).toEqual(users);
  expect(logins).toBe(1);
});
