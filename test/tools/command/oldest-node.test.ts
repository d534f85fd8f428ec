import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { nodeProblem, oldestNode } from '../../../src/tools/command/shared/oldest-node.ts';
import { folderOf } from './support/deployment.ts';

test('the oldest Node is that of package.json', () => {
  expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node).toBe(`>=${oldestNode}`);
});

test.each([
  ['20.20.2', 'Node 22.12 or later is needed, this is 20.20.2'],
  ['22.11.99', 'Node 22.12 or later is needed, this is 22.11.99'],
  ['22.12.0', undefined],
  ['22.13.0', undefined],
  ['24.0.0', undefined],
  ['100.1.0', undefined],
])('Node %s: %s', (node, problem) => {
  expect(nodeProblem({ node })).toBe(problem);
});

test.each(['bun', 'deno'])('%s is accepted, although it reports the version of an old Node', (runtime) => {
  expect(nodeProblem({ node: '20.0.0', [runtime]: '1.0.0' })).toBeUndefined();
});

test('on an older Node, permissions lint prints the version that is needed and exits with 1', () => {
  const folder = folderOf();
  const old = join(folder, 'old.mjs');
  writeFileSync(
    old,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });",
  );
  const args = ['--import', old, join(root, 'dist/command/index.js'), 'permissions', 'lint'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([
    1,
    '',
    'arango-services: Node 22.12 or later is needed, this is 20.20.2\n',
  ]);
});
