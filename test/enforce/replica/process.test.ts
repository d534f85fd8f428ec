import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { listenGrpc } from '../../../src/console/mock/node.ts';
import { createMock } from '../../../src/mock/index.ts';

// Runs the built package in a separate process.

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs a program in the repository until it ends. Returns its output; rejects if it must be stopped. */
async function program(code: string, ...flags: string[]): Promise<string> {
  const args = [...flags, '--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, timeout: 30_000 });
  return stdout.trim();
}

test('close leaves no handle: the process ends by itself', async () => {
  const mock = await createMock();
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const { address } = await listenGrpc(mock);
  const token = await mock.tokens.issue({ user: null });
  const printed = await program(`
    import { credentials } from './dist/index.js';
    import { createReplica } from './dist/replica/index.js';
    const own = credentials.bearer('${token}');
    const live = createReplica({ address: '${address}', credentials: own });
    const nowhere = createReplica({ address: '127.0.0.1:1' });
    await live.ready();
    const state = live.status.state;
    await Promise.all([live.close(), nowhere.close()]);
    console.log(state, live.status.state, nowhere.status.state);`);
  expect(printed).toBe('live closed closed');
});

test.each([
  ['@connectrpc/connect-node', '@connectrpc/connect-node is not installed'],
  ['@', '@connectrpc/connect, @connectrpc/connect-node, @bufbuild/protobuf are not installed'],
])('without %s… the subpaths load, and an error names the command that installs it', async (missing, message) => {
  const hooks = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (/^@(connectrpc|bufbuild)/.test(name) && name.startsWith('${missing}')) {
        throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
      }
      return next(name, context);
    } });`;
  const printed = await program(
    `
    import { createMock } from './dist/mock/index.js';
    import { listenGrpc, mockPool } from './dist/mock/adapters/node/index.js';
    import { createReplica } from './dist/replica/index.js';
    const mock = await createMock();
    const replica = createReplica({ address: '127.0.0.1:9201' });
    const errors = await Promise.allSettled([replica.ready(), listenGrpc(mock)]);
    for (const { reason } of errors) console.log(reason.message);
    await replica.close();
    const other = createReplica({ transport: mockPool(mock) });
    await other.ready();
    console.log(other.status.state);
    await other.close();`,
    '--import',
    `data:text/javascript,${encodeURIComponent(hooks)}`,
  );
  const [ready, listening, state] = printed.split('\n');
  const install = `${message}: npm install @connectrpc/connect@2 @connectrpc/connect-node@2 @bufbuild/protobuf@2`;
  expect(ready).toContain(install);
  expect(listening).toBe(`listenGrpc: ${install}`);
  expect(state).toBe('live');
});
