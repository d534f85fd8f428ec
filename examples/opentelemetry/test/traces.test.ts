import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('without instrumentation, over fetch and over nodeTransport there is one trace', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['src/traces.ts']);
  expect(stdout.match(/span GET, status 200 {2}below list orders/g)).toHaveLength(3);
  expect(stdout.match(/the server was sent the trace: true/g)).toHaveLength(3);
});
