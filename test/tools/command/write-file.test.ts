// Files that commands replace: several at once, and one by several processes.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { alone, replaceFiles } from '../../../src/tools/command/permissions/write-file.ts';
import { folderOf } from './support/deployment.ts';

test('several files are replaced, or none if one of them cannot be, with their modes', async () => {
  const folder = folderOf({ 'a.yaml': 'a\n', 'b.yaml': 'b\n', 'c.yaml': 'c\n' });
  const [a, b, c] = ['a.yaml', 'b.yaml', 'c.yaml'].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(join(folder, 'd'), 'd', { mode: 0o600 });
  /** The new texts; a folder takes the place of the second file when all were written beside the old ones. */
  class Texts extends Map<string, string> {
    override *[Symbol.iterator](): MapIterator<[string, string]> {
      yield* super[Symbol.iterator]();
      rmSync(b);
      mkdirSync(b);
      writeFileSync(join(b, 'x'), '');
    }
  }
  const { mode } = statSync(a);
  const names = [a, b, c, join(folder, 'd')];
  await expect(replaceFiles(new Texts(names.map((name) => [name, 'new\n'])))).rejects.toThrow(
    `${b}: cannot be written`,
  );
  expect([a, c].map((name) => readFileSync(name, 'utf8'))).toEqual(['a\n', 'c\n']);
  expect(statSync(a).mode).toBe(mode);
  expect(readdirSync(folder).sort()).toEqual(['a.yaml', 'b.yaml', 'c.yaml', 'd']);
  rmSync(b, { recursive: true });
  writeFileSync(b, 'b\n');
  await replaceFiles(new Map([a, b].map((name) => [name, 'new\n'])));
  expect([a, b].map((name) => readFileSync(name, 'utf8'))).toEqual(['new\n', 'new\n']);
});

test('a file that a group may write stays so when it is replaced, whatever the umask', async () => {
  const file = join(folderOf({ 'a.yaml': 'a\n' }), 'a.yaml');
  chmodSync(file, 0o666);
  await replaceFiles(new Map([[file, 'new\n']]));
  expect(statSync(file).mode & 0o777).toBe(0o666);
});

test('a lock that a killed process left more than two seconds ago is taken', async () => {
  const folder = folderOf({ 'holds.yaml': '', 'holds.yaml.lock': '' });
  const file = join(folder, 'holds.yaml');
  utimesSync(`${file}.lock`, 0, 0);
  await expect(alone(file, async () => readdirSync(folder))).resolves.toContain('holds.yaml.lock');
  expect(readdirSync(folder)).toEqual(['holds.yaml']);
  await expect(alone(join(folder, 'missing', 'x'), async () => 'done')).rejects.toThrow('missing/x: ');
});
