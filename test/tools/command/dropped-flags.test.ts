import { linkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../../src/tools/command/mock/start-mock.ts';
import { folderOf, shopFile } from './support/deployment.ts';
import { inProcess } from './support/in-process.ts';

// A flag that has no meaning beside the others is refused: dropped, it would answer another question.

const line = `${JSON.stringify({ v: 1, kind: 'decision', time: '2026-11-23T12:00:00Z', subject: { user: 'alice' }, action: 'orders:read', resource: 'orders:7', effect: 'Allow', enforced: false })}\n`;
const files = { 'permissions.yaml': shopFile(), 'a.log': line, 'a.json': '[]', token: 'x' };
const over = (words: readonly string[], folder = folderOf(files)) =>
  inProcess(words.map((word) => (Object.hasOwn(files, word) || word === 'b.log' ? join(folder, word) : word)));

const question = ['orders:read', 'orders:7'];
const log = ['--log', 'a.log'];
const file = ['--file', 'permissions.yaml'];

test.each<[name: string, words: readonly string[]]>([
  ['who', question],
  ['excess', ['--allow', 'a.json']],
  ['rehearse', log],
  ['replay', log],
  ['usage', log],
  ['tighten', log],
])('%s by a file has no use for flags of a deployment', async (name, words) => {
  for (const [flag, value] of [
    ['users', 'zoe'],
    ['users-file', 'a.json'],
    ['concurrency', '2'],
  ]) {
    const { code, out, err } = await over(['permissions', name, ...words, ...file, `--${flag}`, value ?? '']);
    expect([code, out, err]).toEqual([64, '', `arango-services: --${flag}: needs a deployment; see --url\n`]);
  }
});

test.each([
  ['explain', ['alice', ...question]],
  ['grants', ['alice']],
])('%s answers by a file or by a deployment', async (name, words) => {
  const connected = ['--url', 'http://127.0.0.1:9', '--token-file', 'token'];
  const both = await over(['permissions', name, ...words, ...file, ...connected]);
  expect([both.code, both.out, both.err]).toEqual([64, '', 'arango-services: --file: cannot be combined with --url\n']);
  const named = await over(['permissions', name, ...words, '--deployment', 'x', ...connected.slice(2)]);
  expect([named.code, named.err]).toEqual([
    64,
    'arango-services: --deployment: cannot be combined with --token-file\n',
  ]);
  expect((await over(['permissions', name, ...words, ...file])).code).toBe(0);
});

test.each(['rehearse', 'replay', 'usage', 'tighten'])('%s reads a log once, also by a link', async (name) => {
  const folder = folderOf(files);
  symlinkSync(join(folder, 'a.log'), join(folder, 'b.log'));
  const { code, out, err } = await over(['permissions', name, ...file, ...log, '--log', 'b.log'], folder);
  expect([code, out, err]).toEqual([64, '', `arango-services: --log: ${folder}/b.log is given twice\n`]);
  const linked = folderOf(files);
  linkSync(join(folder, 'a.log'), join(linked, 'c.log'));
  const hard = ['--log', join(folder, 'a.log'), '--log', join(linked, 'c.log')];
  expect((await over(['permissions', name, ...file, ...hard])).err).toContain('c.log is given twice');
  // A copy is a log of its own, as far as can be told.
  const copied = ['--log', join(folder, 'a.log'), '--log', join(linked, 'a.log')];
  expect((await over(['permissions', name, ...file, ...copied])).err).toBe('');
});

test.each([
  [['--service', 'a=http://127.0.0.1:1', '--service', 'a=http://127.0.0.1:2']],
  [['--service', 'a=http://127.0.0.1:1,b=http://127.0.0.1:2,a=http://127.0.0.1:1']],
])('mock %j names a service twice', async (args) => {
  const err: string[] = [];
  const surroundings = { env: {}, print: () => {}, warn: (text: string) => err.push(text), serving: () => {} };
  expect([await run(['mock', ...args, '--print-config'], surroundings), err]).toEqual([
    64,
    ['arango-services: --service: a is given twice'],
  ]);
});
