// Next.js with the packed tarball. Builds an edge route: `next build` must succeed without warnings, with webpack and
// with Turbopack. Then sends raw requests to guarded route handlers, none of which may run without its permission. Exits
// with 1 and the output otherwise.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Checks } from './lib/checks.ts';
import { exec, root } from './lib/exec.ts';
import { checkNextGuard } from './lib/next-guard.ts';
import { scratch } from './lib/scratch.ts';
import { installTarball } from './lib/tarball.ts';

const packages = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'];

/** Next's messages about code that its edge runtime cannot run, and all warnings. */
const complaint =
  /A Node\.js API is used|not supported in the Edge Runtime|Compiled with warnings|Ecmascript file had/i;

/** Builds the project and returns the problems that Next reports. */
async function build(project: string, bundler: '--webpack' | '--turbopack'): Promise<string[]> {
  const next = join(project, 'node_modules/next/dist/bin/next');
  // Compiles only, which produces the warnings.
  const args = [next, 'build', bundler, '--experimental-build-mode', 'compile'];
  const { ok, output } = await exec(process.execPath, args, { cwd: project, timeout: 300_000 });
  return ok && !complaint.test(output) ? [] : [output];
}

/** Copies a project of test/deep, with the packed tarball and Next. */
async function copyProject(name: string, folder: string): Promise<string> {
  const project = join(folder, name);
  await cp(join(root, 'test/deep', name), project, { recursive: true });
  await installTarball(project);
  // Next looks for itself in the project only.
  await cp(join(await scratch(...packages), 'node_modules'), join(project, 'node_modules'), { recursive: true });
  return project;
}

const folder = await mkdtemp(join(tmpdir(), 'arango-services-next-'));
const checks = new Checks('check-next');
process.env.NEXT_TELEMETRY_DISABLED = '1';
try {
  const edge = await copyProject('next', folder);
  await checks.run('Next, an edge route by webpack', () => build(edge, '--webpack'));
  await checks.run('Next, an edge route by Turbopack', () => build(edge, '--turbopack'));
  const guarded = await copyProject('next-guard', folder);
  await checks.run('Next, guarded route handlers', () => checkNextGuard(guarded, 1_000));
} finally {
  await rm(folder, { recursive: true, force: true });
}
checks.end();
