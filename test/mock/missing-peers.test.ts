import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';
import { manifest } from '../../scripts/lib/package.ts';

// The built package in a folder with its dependencies, and without its optional peers.
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arango-services-peers-'));
  const place = (name: string) => join(folder, 'node_modules', name);
  await mkdir(place(manifest.name), { recursive: true });
  for (const name of ['dist', 'package.json']) {
    await cp(join(root, name), join(place(manifest.name), name), { recursive: true });
  }
  for (const name of Object.keys(manifest.dependencies)) {
    await mkdir(dirname(place(name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), place(name));
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const messageOf = async (load: string): Promise<string> => {
  const code = `try { ${load} } catch (error) { process.stdout.write(error.message); }`;
  return (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: folder })).stdout;
};

test.each([
  ['arango-services/mock/msw', 'needs msw: npm install msw@3'],
  ['arango-services/mock/openapi', 'needs @cfworker/json-schema: npm install @cfworker/json-schema@4'],
])('%s says which peer to install', async (subpath, says) => {
  expect(await messageOf(`await import('${subpath}')`)).toBe(`${subpath} ${says}`);
  const required = `(await import('node:module')).createRequire(process.cwd() + '/own.js')('${subpath}')`;
  expect(await messageOf(required)).toBe(`${subpath} ${says}`);
});

test('the error of a peer that is there, but cannot be loaded, stays', async () => {
  const peer = join(folder, 'node_modules', 'msw');
  await mkdir(peer, { recursive: true });
  await cp(join(root, 'node_modules/msw'), peer, { recursive: true });
  expect(await messageOf(`await import('arango-services/mock/msw')`)).toMatch(
    /Cannot find (?:module|package) '(?!msw)/,
  );
});
