import { env } from 'node:process';
import { afterAll } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createMock, type MockConfig } from '../../../src/mock/index.ts';
import { platformVersions } from '../../../src/policy/model/platform-versions.ts';
import { type SendOptions, sendOptionsOf, transports } from '../../support/transports.ts';
import { contract, type Target } from './contract.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const user = { username: 'alice', password: 'pw' };

/** A mock in memory, or on a port over some transport. */
async function openMock({ way, ...config }: MockConfig & { readonly way?: SendOptions }): Promise<Target> {
  const mock = stack.use(await createMock({ ...config, users: [{ name: 'alice', password: 'pw' }] }));
  const superuser = await mock.tokens.issue({ user: null });
  const options = way === undefined ? mock.connection : { ...(await listen(mock)).connection, ...sendOptionsOf(way) };
  return { options, superuser, user };
}

for (const fidelity of ['documented', 'sidecar'] as const) {
  for (const platform of platformVersions)
    contract(`mock.fetch, ${platform}, ${fidelity}`, () => openMock({ fidelity, platform }));
  for (const way of transports) contract(`the port over ${way.name}, ${fidelity}`, () => openMock({ fidelity, way }));
}

// See CONTRIBUTING.md.
const { ARANGO_SERVICES_LIVE_URL: url, ARANGO_SERVICES_LIVE_TOKEN: superuser } = env;
if (url !== undefined && superuser !== undefined) {
  const { ARANGO_SERVICES_LIVE_USER: username = 'root', ARANGO_SERVICES_LIVE_PASSWORD: password = '' } = env;
  contract(`live: ${url}`, async () => ({ options: { url }, superuser, user: { username, password } }));
} else if (url !== undefined) {
  throw new Error('ARANGO_SERVICES_LIVE_URL needs ARANGO_SERVICES_LIVE_TOKEN beside it (see CONTRIBUTING.md)');
}
