// The examples that are projects of their own, copied out of the packed tarball and installed with it: their types and
// their tests. Exit 1 with what failed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Checks } from './lib/checks.ts';
import { copyExamples, findProjects, testDownstream } from './lib/downstream.ts';
import { findChromium } from './lib/find-chromium.ts';
import { makeVenv } from './lib/python.ts';
import { checkReactApp } from './lib/react-app.ts';
import { packTarball } from './lib/tarball.ts';
import { askInWorkerd } from './lib/workerd-service.ts';

// `npm run check:examples -- hono-service` runs the examples whose names hold one of the arguments.
const wanted = process.argv.slice(2);
const projects = findProjects().filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
/** Hono's is also a worker, React's also a page. */
const more = new Map([
  ['hono-service', askInWorkerd],
  ['react-app', checkReactApp],
]);
const python = 'examples/python-service';
const makePython = (project: string) =>
  makeVenv(join(project, '.venv'), `the tests of ${python}`, ['-r', join(project, 'requirements.txt')]);
// The pages of Next and SvelteKit open it in their tests.
process.env.CHROME_PATH = findChromium('THE TESTS OF next-app AND svelte-app IN CHROMIUM') ?? '';
process.env.NEXT_TELEMETRY_DISABLED = '1';
const checks = new Checks('check:examples');
const folder = await mkdtemp(join(tmpdir(), 'arango-services-examples-'));
try {
  const tarball = await packTarball(folder);
  await copyExamples(tarball, folder);
  for (const project of projects) {
    if (project === python && !(await makePython(join(folder, project)))) continue;
    await checks.run(project, () => testDownstream(join(folder, project), tarball, more.get(basename(project))));
  }
  if (projects.length === 0) await checks.run(wanted.join(' '), async () => ['there is no such example']);
} finally {
  await rm(folder, { recursive: true, force: true });
}
checks.end();
