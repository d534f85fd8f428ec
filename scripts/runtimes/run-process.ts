// Runs the smoke program that lies beside it on the Node that runs this, in the modes that need no other process. Prints
// a line for each, and exits with 1 if a check fails. scripts/smoke-program.ts writes both.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Outcome } from '../../test/runtimes/run.ts';

const program = fileURLToPath(new URL('program-process.mjs', import.meta.url));
console.log(`Node ${process.version}, ${process.platform} ${process.arch}, ${process.execPath}`);
for (const mode of ['memory', 'hosted', 'hosted-port']) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, mode], { encoding: 'utf8' });
  // The cast: the last line is what entry-process.ts prints.
  const outcome = status === 0 ? (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome) : undefined;
  const failed = outcome?.failed ?? [{ name: 'ended early', error: stderr }];
  console.log(`${failed.length === 0 ? 'ok  ' : 'FAIL'} ${mode}: ${outcome?.passed ?? 0} passed`);
  for (const { name, error } of failed) console.log(`- ${name}\n  ${error.replaceAll('\n', '\n  ')}`);
  if (failed.length > 0 || outcome?.passed === 0) process.exitCode = 1;
}
