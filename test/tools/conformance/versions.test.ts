import { expect, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.js';
import { createMock } from '../../../src/mock/index.js';
import { checkConformance } from '../../../src/tools/conformance/index.js';
import { es256 } from '../../support/calls.js';
import { quickClock } from './support/faulty.js';

test.each([
  ['recorded', 'recorded'],
  ['1.4.5', 'recorded'],
  ['next', 'next'],
  ['1.4.4', '1.4.4'],
] as const)('verify says the version that fits a deployment: %s', async (platform, expected) => {
  const secret = (await es256()).privatePem;
  await using mock = await createMock({
    fidelity: 'sidecar',
    platform,
    central: true,
    authentication: { keys: { active: secret } },
    gateway: { cookiesSupport: false },
  });
  const token = await mock.tokens.issue({ user: null });
  const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
  const report = await checkConformance(client, { clock: quickClock(), secret, settings: { central: true } });
  expect([report.fits.best.settings.platform, report.fits.best.different]).toEqual([expected, 0]);
});
