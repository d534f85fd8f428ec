// `npm run check`: lint, build and types, then the stages below over one build and one tarball, three at a time on two
// cores. With `--ci` also the stages of .ci/run, with names as arguments only these. The output of a stage is printed
// when it has ended. Exits with 1, and with the names and failing lines of the stages that failed at the end.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec, root } from './lib/exec.ts';
import { failingLines } from './lib/failing-lines.ts';
import { packTarball } from './lib/tarball.ts';

/** Scripts of package.json, some with a part of them; those that take longest first. */
const stages = [
  'test:thorough',
  'test:browser tabs',
  'test:browser console',
  'check:examples',
  'check:package',
  'site --check',
  'api --check',
  'test:browser browser',
];
const stagesOfCi = ['check:runtimes', 'check:types', 'docs', 'check:bench'];

const started = performance.now();
const minutes = (since: number) => {
  const seconds = Math.round((performance.now() - since) / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
const isCi = process.argv.includes('--ci');
/** The failing lines of each stage that failed, by its name. */
const failed = new Map<string, readonly string[]>();

async function runStage(name: string, env: NodeJS.ProcessEnv): Promise<void> {
  const began = performance.now();
  console.log(`check: ${name} begins (${minutes(started)})`);
  const [script = '', ...parts] = name.split(' ');
  const { ok, output } = await exec(process.execPath, ['--run', script, '--', ...parts], {
    // In CI a runtime that is missing is a failure.
    env: { ...process.env, ...env, ...(isCi && name === 'check:runtimes' && { CI: '1' }) },
  });
  if (!ok) failed.set(name, failingLines(output));
  console.log(`\n${'='.repeat(20)} ${name}: ${ok ? 'ok' : 'FAILED'} after ${minutes(began)}\n${output}\n`);
}

/** Runs what is left of a list of stages, one after the other; called once for each stage that runs at a time. */
async function runAll(left: string[], env: NodeJS.ProcessEnv): Promise<void> {
  for (let name = left.shift(); name !== undefined; name = left.shift()) await runStage(name, env);
}

const folder = mkdtempSync(join(tmpdir(), 'arango-services-check-'));
try {
  await runStage('lint types', {});
  if (failed.size === 0) {
    const env = { THOROUGH: '1', BUILT: '1', TARBALL: await packTarball(folder) };
    const chosen = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
    const left = [...stages, ...stagesOfCi].filter((name) =>
      chosen.length > 0 ? chosen.includes(name) : isCi || stages.includes(name),
    );
    // One more than there are cores: browsers and installations wait for much of their time.
    await Promise.all(Array.from({ length: availableParallelism() + 1 }, () => runAll(left, env)));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
// Again at the end, which is all that many a log of CI shows.
for (const [name, lines] of failed) console.log(`\ncheck: ${name} failed:\n${lines.join('\n')}`);
const outcome = failed.size === 0 ? 'all passed' : `failed: ${[...failed.keys()].join(', ')}`;
console.log(`check: ${outcome} (${minutes(started)}, ${root})`);
if (failed.size > 0) process.exitCode = 1;
