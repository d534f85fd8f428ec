import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';
import { folderOf, openDeployment } from '../tools/command/support/deployment.ts';
import { Running } from '../tools/command/support/process.ts';
import { secret } from '../tools/conformance/support/faulty.ts';

// Runs of `conformance --write` that are ended at random moments of their writes, as real processes.

const statements = [{ effect: 'Allow', actions: ['orders:*'], resources: ['eu:*'] }] as const;
const seed = {
  fidelity: 'sidecar',
  authentication: { keys: { active: secret } },
  policies: { reading: { statements }, 'arango-services-conformance-0123abcd9': { statements: [] } },
  roles: { 'arango-services-conformance-mine': { policies: ['reading'] } },
} as const;
const own = ['arango-services-conformance-0123abcd9', 'arango-services-conformance-mine', 'reading'];

test('a run that is killed at any moment leaves nothing that the next one does not remove', async () => {
  const { mock, url, folder, client } = await openDeployment(seed, { secret });
  const names = async () => {
    const found: string[] = [];
    for await (const name of client.authorization.policies.list()) found.push(name);
    for await (const name of client.authorization.roles.list()) found.push(name);
    return found.sort();
  };
  const start = () =>
    new Running(
      process.execPath,
      [
        ...[`${root}dist/command/index.js`, 'conformance', '--url', url, '--write', '--rate', '1000'],
        ...['--jwt-secret-file', join(folder, 'secret')],
      ],
      folderOf(),
      {},
    );
  const left: string[] = [];
  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGKILL', 'SIGTERM'] as const) {
    const writes = mock.requests.length;
    const run = start();
    const after = 1 + Math.floor(Math.random() * 60);
    await mock.waitFor(
      { method: 'POST', path: /^\/_management\/permissions\/policy\/arango-services-conformance-[\da-f]{8}$/ },
      { timeout: 60_000 },
    );
    const begun = mock.requests.length;
    while (mock.requests.length < begun + after && run.child.exitCode === null)
      await new Promise((r) => setTimeout(r, 1));
    run.child.kill(signal);
    const { code, err } = await run.ended();
    const now = await names();
    left.push(`${signal} after ${after} of ${mock.requests.length - writes}: ${code}, ${now.length - own.length} left`);
    if (signal !== 'SIGKILL') expect([signal, after, now, err]).toEqual([signal, after, own, expect.anything()]);
    mock.requests.clear();
  }
  const last = start();
  const { code, out } = await last.ended();
  expect([left, code, await names()]).toEqual([left, 0, own]);
  expect(out).toContain(' 0 different');
}, 300_000);
