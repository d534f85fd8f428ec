import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { readSubpaths } from '../scripts/lib/package.ts';

// A process whose engine lacks coders of text, over the built files.

const removed = 'TextDecoder TextEncoder btoa';
const error = 'arango-services needs TextDecoder, TextEncoder, btoa: import polyfills before it';

/** The message of what a program throws without these features; '' if it throws nothing. */
async function failureOf(program: string, features = removed): Promise<string> {
  const code = `
    ${features.replaceAll(/\w+/g, 'delete globalThis.$&;')}
    try { ${program} } catch (error) { process.stdout.write(error.message); }`;
  return (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: root })).stdout;
}

const [withPeer, alone] = [true, false].map((peer) =>
  readSubpaths().filter((one) => (one.peer !== undefined) === peer),
);

test.each(alone ?? [])('$specifier is imported without coders', async ({ file }) => {
  expect(await failureOf(`await import('./${file}')`)).toBe('');
});

// The peers of these may create coders when they are loaded.
test.each(withPeer ?? [])('$specifier is imported without coders, or names them', async ({ file }) => {
  expect(['', error]).toContain(await failureOf(`await import('./${file}')`));
});

test.each([
  ['index', `createClient({ url: 'http://a.test' })`],
  ['index', `new Connection({ url: 'http://a.test' })`],
  ['index', `credentials.basic('a', 'b')`],
  ['routes', `createRouteClient({ url: 'http://a.test' })`],
  ['credentials', `basic('a', 'b')`],
  ['mock', `await createMock()`],
  ['guard', `createVerifier({ secret: 's'.repeat(32) })`],
  ['guard', `await verifyToken('a.b.c', { secret: 's'.repeat(32) })`],
  ['authzen', `createPdp({ evaluate() {}, evaluateMany() {} }, {})`],
  ['replica', `createReplica({ address: '127.0.0.1:1' })`],
  ['stream', `await readLines([]).next()`],
  ['stream', `await events([]).next()`],
  ['stream', `await ndjson([]).next()`],
  ['decisions', `for await (const one of readDecisions([])) void one`],
  ['permissions', `await readPermissions('file.json', { read: () => new Uint8Array([123, 125]) })`],
])('%s: %s names the missing coders', async (entry, call) => {
  const file = /^(?:index|routes)$/.test(entry) ? `dist/${entry}.js` : `dist/${entry}/index.js`;
  const [name = ''] =
    /createClient|Connection|credentials|basic|\b(?:create\w+|verify\w+|read\w+|events|ndjson)\b/.exec(call) ?? [];
  expect(await failureOf(`const { ${name} } = await import('./${file}'); ${call}`)).toBe(error);
});

test.each(['TextDecoder', 'TextEncoder'])('bundles with ky name a missing %s before ky fails', async (name) => {
  const says = `arango-services needs ${name}: import polyfills before it`;
  expect(await failureOf(`await import('./dist/connection/ky-runtime.js')`, name)).toBe(says);
});
