import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import type { mockPool } from '../../../src/console/mock/node.ts';
import type { createReplica } from '../../../src/enforce/replica/index.ts';
import type { createMock } from '../../../src/mock/index.ts';

const require = createRequire(import.meta.url);
const source = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../../src/${path}`, import.meta.url)));

const { iterator, asyncIterator, hasInstance, toStringTag, toPrimitive } = Symbol;
/** The `Symbol` of WebKit, which has neither `dispose` nor `asyncDispose`. */
const bare = Object.assign((name?: string) => Symbol(name), {
  ...{ iterator, asyncIterator, hasInstance, toStringTag, toPrimitive },
  for: Symbol.for,
});

interface Parts {
  readonly createMock: typeof createMock;
  readonly createReplica: typeof createReplica;
  readonly mockPool: typeof mockPool;
}

/** The parts as a compiler writes them for such an engine. */
async function loadParts(): Promise<Parts> {
  const contents = `
    export { createReplica } from ${source('enforce/replica/index.ts')};
    export { createMock } from ${source('mock/index.ts')};
    export { mockPool } from ${source('mock/adapters/grpc/mock-pool.ts')};`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: source('.').slice(1, -1) },
    bundle: true,
    format: 'iife',
    globalName: 'parts',
    platform: 'node',
    packages: 'external',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  return compileFunction(`${outputFiles[0]?.text}\nreturn parts;`, ['Symbol', 'require'])(bare, require);
}

test('an engine without Symbol.dispose follows the streams of a mock, and closes the replica', async () => {
  const { createMock, createReplica, mockPool } = await loadParts();
  const mock = await createMock();
  const replica = createReplica({ transport: mockPool(mock) });
  await replica.ready({ timeout: 5_000 });
  expect(replica.isAllowed({ user: 'alice', action: 'orders:read', resource: 'orders:7' })).toBe(false);
  // The cast: the types name only the symbol of other engines.
  const dispose: typeof Symbol.asyncDispose = Symbol.for('Symbol.asyncDispose') as typeof Symbol.asyncDispose;
  await replica[dispose]();
  expect(replica.status.state).toBe('closed');
  await mock[dispose]();
});
