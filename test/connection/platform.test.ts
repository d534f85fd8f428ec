import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createClient } from '../../src/index.ts';

afterEach(() => void vi.unstubAllGlobals());

// First: Node loads its fetch with what stands in the globals then.
test('an answer is read where the engine has no Response.bytes', async () => {
  const native = Object.getOwnPropertyDescriptor(Response.prototype, 'bytes') ?? {};
  onTestFinished(() => void Object.defineProperty(Response.prototype, 'bytes', native));
  Reflect.deleteProperty(Response.prototype, 'bytes');
  const route = createClient({ url: 'http://a.test', fetch: async () => new Response('ü') }).route('x');
  expect((await route.get()).body).toBe('ü');
  expect((await route.with({ responseType: 'bytes' }).get()).body).toEqual(new TextEncoder().encode('ü'));
});

test('all that an engine lacks is named in one error, before any call', () => {
  vi.stubGlobal('ReadableStream', undefined);
  vi.stubGlobal('FormData', undefined);
  expect(() => createClient({ url: 'http://a.test' })).toThrow(/^arango-services needs FormData, ReadableStream: /);
});

test('a URL without canParse is too old', () => {
  vi.stubGlobal('URL', class {});
  expect(() => createClient({ url: 'http://a.test' })).toThrow('URL.canParse');
});
