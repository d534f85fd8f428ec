import { expect, test } from 'vitest';
import { exec, root } from '../scripts/lib/exec.ts';

test('examples/opentelemetry.ts: without instrumentation there is one trace over fetch and over nodeTransport', async () => {
  const { ok, output, stdout } = await exec(process.execPath, ['examples/opentelemetry.ts'], { cwd: root });
  expect([ok, output]).toEqual([true, expect.any(String)]);
  expect(stdout.match(/span GET, status 200 {2}below list orders/g)).toHaveLength(3);
  expect(stdout.match(/the server was sent the trace: true/g)).toHaveLength(3);
});
