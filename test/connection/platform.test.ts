import { afterEach, expect, test, vi } from 'vitest';
import { createClient } from '../../src/index.ts';

afterEach(() => void vi.unstubAllGlobals());

test('all that an engine lacks is named in one error, before any call', () => {
  vi.stubGlobal('ReadableStream', undefined);
  vi.stubGlobal('FormData', undefined);
  expect(() => createClient({ url: 'http://a.test' })).toThrow(/^arango-services needs FormData, ReadableStream: /);
});

test('a URL without canParse is too old', () => {
  vi.stubGlobal('URL', class {});
  expect(() => createClient({ url: 'http://a.test' })).toThrow('URL.canParse');
});

test('an answer is read where the engine has no Response.bytes', async () => {
  const fetch = async () => Object.defineProperty(Response.json({ a: 'ü' }), 'bytes', { value: undefined });
  expect((await createClient({ url: 'http://a.test', fetch }).route('x').get()).body).toEqual({ a: 'ü' });
});
