import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { requireEngine } from '../../../src/base/lib/engine.ts';

let script = '';
let withoutKy = '';

// As Metro and other bundlers resolve it: without the condition `node`.
async function bundle(runtime: string): Promise<string> {
  const source = (path: string) => fileURLToPath(new URL(`../../../src/${path}`, import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents: `export * from ${JSON.stringify(source('index.ts'))}`, resolveDir: source('.') },
    alias: { '#runtime': source(`client/connection/${runtime}.ts`) },
    bundle: true,
    format: 'iife',
    globalName: 'services',
    platform: 'browser',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

const createClient = "\nservices.createClient({ url: 'http://a.test' })";
const basic = "\nservices.credentials.basic('a', 'b')";

beforeAll(async () => {
  script = (await bundle('ky-runtime')) + createClient;
  withoutKy = await bundle('fetch-transport');
});

const names = ['AbortController', 'Blob', 'FormData', 'Headers', 'ReadableStream', 'Request', 'TextDecoder'] as const;
const others = { TextEncoder, URL, URLSearchParams, atob, btoa, performance, fetch };
const whole = () => ({ ...others, ...Object.fromEntries(names.map((name) => [name, globalThis[name]])) });

test('an engine with every feature can create a client', () => {
  expect(runInNewContext(script, whole())).toBeDefined();
});

test('one error names all missing features when the client is created', () => {
  const { FormData: _form, ReadableStream: _stream, ...rest } = whole() as Record<string, unknown>;
  expect(() => runInNewContext(script, rest)).toThrow(/^arango-services needs FormData, ReadableStream: import poly/);
});

// ky itself creates a TextEncoder when it is loaded.
test.each(['TextDecoder', 'TextEncoder', 'btoa'])(
  'a bundle without ky loads in an engine without %s, and creating a client names the feature',
  (name) => {
    const { [name]: _missing, ...rest } = whole() as Record<string, unknown>;
    for (const call of [createClient, basic]) {
      expect(() => runInNewContext(withoutKy + call, rest)).toThrow(`arango-services needs ${name}: import polyfills`);
    }
  },
);

const absent = Symbol('absent');

test('a URL without canParse is too old', () => {
  expect(() => runInNewContext(script, { ...whole(), URL: class {} })).toThrow('needs URL.canParse:');
});

test.each([
  [{}, undefined],
  [{ URL: absent }, 'needs URL: '],
  [{ URL: class {} }, 'needs URL.canParse: '],
  [{ AbortController: absent, performance: absent }, 'needs AbortController, performance: '],
])('an engine with %o', (globals, says) => {
  onTestFinished(() => void vi.unstubAllGlobals());
  for (const [name, value] of Object.entries(globals)) {
    vi.stubGlobal(name, value);
    if (value === absent) Reflect.deleteProperty(globalThis, name);
  }
  if (says === undefined) expect(requireEngine).not.toThrow();
  else expect(requireEngine).toThrow(says);
});
