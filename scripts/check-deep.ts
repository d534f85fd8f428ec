// The long runs, for when there is time: random cases by the million, then mutation testing. Exit 1 when one of them fails.
import { spawn } from 'node:child_process';
import { root } from './lib/exec.ts';

/** Runs a program of node_modules, its output shown as it comes: these take minutes. */
function run(script: string, ...args: string[]): Promise<boolean> {
  console.log(`\n# ${[script, ...args].join(' ')}`);
  return new Promise((done) => {
    const child = spawn(process.execPath, [`${root}node_modules/${script}`, ...args], { cwd: root, stdio: 'inherit' });
    child.on('close', (code) => done(code === 0));
  });
}

const passed = [
  await run('vitest/vitest.mjs', 'run', '--config', 'vitest.deep.config.ts'),
  await run('@stryker-mutator/core/bin/stryker.js', 'run', 'stryker.config.json'),
];
if (passed.includes(false)) process.exitCode = 1;
