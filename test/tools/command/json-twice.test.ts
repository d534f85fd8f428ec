import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { folderOf, shopFile } from './support/deployment.ts';
import { inProcess } from './support/in-process.ts';

// The second key decides in the eyes of JSON.parse: here "delete" would be a policy of its own.
const twice = '{\n  "a": [{ "x": 1 }, { "x": 1 }],\n  "b": 1, "b": 2\n}';
const url = ['--url', 'http://127.0.0.1:1', '--token-file', 'token'];
const files = {
  token: 'x',
  'permissions.yaml': shopFile(),
  'twice.json': twice,
  'twice.test.json': twice,
};

/** Runs the command in a folder: names with a dot, and the token, are files of it. */
async function over(words: readonly string[]) {
  const folder = folderOf(files);
  const place = (word: string) =>
    /^[\w.-]+\.\w+$|^token$/.test(word) && !word.startsWith('-') ? join(folder, word) : word;
  const stdin = Readable.from([twice]);
  const { code, out, err } = await inProcess(words.map(place), { stdin });
  return { code, out, err: err.replaceAll(`${folder}/`, '') };
}

describe('a key that stands twice in JSON is refused with its place, and nothing is sent', () => {
  const shop = ['--file', 'permissions.yaml'];
  test.each<[string, readonly string[], string?]>([
    ['a file of permissions', ['permissions', 'grants', 'alice', '--file', 'twice.json']],
    ['one of two files', ['permissions', 'diff', 'permissions.yaml', 'twice.json']],
    ['stdin', ['permissions', 'grants', 'alice', '--file', '-'], '<stdin>'],
    ['a file of tests', ['permissions', 'test', ...shop, 'twice.test.json'], 'twice.test.json'],
    ['allowances', ['permissions', 'excess', ...shop, '--allow', 'twice.json']],
    ['the users of the last apply', ['permissions', 'export', '--users-file', 'twice.json', ...url]],
    ['a saved plan', ['permissions', 'apply', 'twice.json', ...url]],
    ['known differences', ['conformance', '--known', 'twice.json', ...url]],
    ['known differences of stdin', ['conformance', '--known', '-', ...url], '<stdin>'],
    [
      'an OpenAPI document',
      ['record', '--url', 'http://127.0.0.1:1', '--out', 'new.folder', '--document', 'twice.json'],
    ],
  ])('%s', async (_, words, file = 'twice.json') => {
    const { code, err } = await over(words);
    expect([code, err.split('\n')]).toEqual([64, expect.arrayContaining([expect.stringMatching(/there twice/)])]);
    expect(err).toContain(`arango-services: ${file}:3:11: the key "b" is there twice\n`);
  });

  test('a recording', async () => {
    const folder = folderOf({ 'GET.json': twice });
    const { code, err } = await inProcess(['record', '--url', 'http://127.0.0.1:1', '--out', folder, '--update']);
    expect([code, err]).toEqual([64, 'arango-services: --out: GET.json:3:11: the key "b" is there twice\n']);
  });
});

describe('stdin is read once', () => {
  test.each<[readonly string[], string]>([
    [['permissions', 'diff', '-', '-'], '<after>'],
    [['permissions', 'test', '--file', 'permissions.yaml', '-', '-'], '[files…]'],
    [['permissions', 'test', '--file', '-', '-'], '[files…]'],
    [['permissions', 'usage', '--file', '-', '--log', '-'], '--log'],
    [['permissions', 'excess', '--file', '-', '--allow', '-'], '--allow'],
    [['permissions', 'plan', '--file', '-', '--url', 'http://127.0.0.1:1', '--token-file', '-'], '--token-file'],
    [
      ['permissions', 'plan', '--file', '-', '--url', 'http://127.0.0.1:1', '--jwt-secret-file', '-'],
      '--jwt-secret-file',
    ],
    [
      ['permissions', 'plan', '--file', '-', '--url', 'http://127.0.0.1:1', '--user', 'a', '--password-stdin'],
      '--password-stdin',
    ],
    [['conformance', '--known', '-', '--url', 'http://127.0.0.1:1', '--token-file', '-'], '--token-file'],
  ])('%j', async (words, second) => {
    const folder = folderOf(files);
    const place = (word: string) => (word === 'permissions.yaml' ? join(folder, word) : word);
    const { code, out, err } = await inProcess(words.map(place), { stdin: Readable.from(['[]']) });
    expect([code, out]).toEqual([64, '']);
    expect(err).toContain(`arango-services: ${second}: stdin is read already, for `);
  });
});
