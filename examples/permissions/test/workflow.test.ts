import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const bin = resolve('node_modules/.bin/arango-services');

const workflow = readFileSync('.github/workflows/permissions.yaml', 'utf8').replaceAll('\\\n', ' ');
const commands = [...workflow.matchAll(/arango-services permissions (\w+)(.*)/g)];

test('the workflow uses subcommands and flags that there are', () => {
  expect(commands.map(([, subcommand]) => subcommand)).toEqual(['lint', 'test', 'plan', 'apply', 'plan']);
  for (const [, subcommand = '', rest = ''] of commands) {
    const help = execFileSync(bin, ['permissions', subcommand, '--help'], { encoding: 'utf8' });
    for (const [flag] of rest.matchAll(/--[\w-]+/g)) expect(help).toContain(flag);
  }
});
