import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../../src/index.ts';

test('reads a response in an engine without Response.bytes', async () => {
  const native = Object.getOwnPropertyDescriptor(Response.prototype, 'bytes') ?? {};
  onTestFinished(() => void Object.defineProperty(Response.prototype, 'bytes', native));
  Reflect.deleteProperty(Response.prototype, 'bytes');
  const route = createClient({ url: 'http://a.test', fetch: async () => new Response('ü') }).route('x');
  expect((await route.get()).body).toBe('ü');
  expect((await route.with({ responseType: 'bytes' }).get()).body).toEqual(new TextEncoder().encode('ü'));
});
