import { env } from 'node:process';
import { afterAll } from 'vitest';
import { listen } from '../../src/mock/adapters/node/index.ts';
import { createMock } from '../../src/mock/index.ts';
import { contract, type Target } from './contract.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const user = { username: 'alice', password: 'pw' };

async function openMock(fidelity: 'documented' | 'sidecar', port: boolean): Promise<Target> {
  const mock = stack.use(await createMock({ fidelity, users: [{ name: 'alice', password: 'pw' }] }));
  const superuser = await mock.tokens.issue({ user: null });
  return { options: port ? (await listen(mock)).connection : mock.connection, superuser, user };
}

for (const fidelity of ['documented', 'sidecar'] as const) {
  contract(`mock.fetch, ${fidelity}`, () => openMock(fidelity, false));
  contract(`the port, ${fidelity}`, () => openMock(fidelity, true));
}

// CONTRIBUTING.md says what these are.
const { ARANGO_SERVICES_LIVE_URL: url, ARANGO_SERVICES_LIVE_TOKEN: superuser } = env;
if (url !== undefined && superuser !== undefined) {
  const { ARANGO_SERVICES_LIVE_USER: username = 'root', ARANGO_SERVICES_LIVE_PASSWORD: password = '' } = env;
  contract(`live: ${url}`, async () => ({ options: { url }, superuser, user: { username, password } }));
} else if (url !== undefined) {
  throw new Error('ARANGO_SERVICES_LIVE_URL needs ARANGO_SERVICES_LIVE_TOKEN beside it (see CONTRIBUTING.md)');
}
