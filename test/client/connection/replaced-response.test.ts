import { getRequestListener } from '@hono/node-server';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, credentials } from '../../../src/index.ts';
import { createMock } from '../../../src/mock/index.ts';

/** Lets Hono's server for Node put its own `Request` and `Response` in the place of the global ones. */
function replaceGlobals() {
  const names = ['Request', 'Response'] as const;
  const before = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  const { Response: native } = globalThis;
  getRequestListener(() => new Response());
  expect(globalThis.Response).not.toBe(native);
  onTestFinished(() => {
    for (const [name, descriptor] of before) if (descriptor) Object.defineProperty(globalThis, name, descriptor);
  });
}

test.each([
  ['as it came', {}],
  ['of limited size', { maxBytes: 1_000 }],
  ['with an idle timeout', { idleTimeout: 10_000 }],
])('an answer of bytes %s can be read in a process with a server of Hono', async (_, options) => {
  await using mock = await createMock();
  const bytes = Uint8Array.from([0, 159, 255]);
  mock.route('GET', '/_db/shop/files/1', () => ({ body: bytes, headers: { 'content-type': 'image/png' } }));
  const token = await mock.tokens.issue({ user: 'alice' });
  replaceGlobals();
  const client = createClient({ ...mock.connection, database: 'shop', credentials: credentials.bearer(token) });
  const { body } = await client.route('files').get<Uint8Array>('1', options);
  expect(new Uint8Array(body)).toEqual(bytes);
});
