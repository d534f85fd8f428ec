// The smoke program and the mock's behaviour suite from the packed tarball, in every runtime and browser. Names of
// runtimes as arguments choose some. Exit 1 when a check fails, and in CI when a runtime could not be tried.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec } from './lib/exec.ts';
import { reportNotTried } from './lib/not-tried.ts';
import { testedPeers } from './lib/package.ts';
import { scratchFolder } from './lib/scratch.ts';
import { installTarball, npmInstall } from './lib/tarball.ts';
import { browsers } from './runtimes/browsers.ts';
import { processes } from './runtimes/processes.ts';
import type { Found, Runtime } from './runtimes/runtime.ts';
import { formatTable, writeTable } from './runtimes/table.ts';
import { workers } from './runtimes/workers.ts';

const wanted = process.argv.slice(2).map((name) => name.toLowerCase());
const all: readonly Runtime[] = [...processes, ...workers, ...browsers];
const chosen = all.filter(
  ({ name, version = '' }) =>
    wanted.length === 0 || wanted.some((one) => `${name} ${version}`.toLowerCase().includes(one)),
);

const untried: string[] = [];
const found: [string, Found][] = [];
let failures = 0;

function report(name: string, way: string, outcome: Found['memory']): void {
  const { passed, failed, ms } = outcome;
  console.log(
    `${failed.length === 0 ? 'ok  ' : 'FAIL'} ${name}, ${way}: ${passed} passed (${(ms / 1000).toFixed(1)} s)`,
  );
  failures += failed.length;
  for (const { name: check, error } of failed)
    console.log(`     - ${check}\n       ${error.replaceAll('\n', '\n       ')}`);
}

async function tryOut({ name, missing, run }: Runtime, consumer: string): Promise<void> {
  const lacks = missing?.();
  if (lacks !== undefined) {
    untried.push(`${name}: ${lacks}`);
    return;
  }
  try {
    const result = await run(consumer);
    found.push([name, result]);
    const label = `${name} ${result.version}`;
    report(label, 'memory', result.memory);
    report(label, 'port', result.port);
    if (result.job !== undefined) report(label, 'main job', result.job);
    if (result.requests !== undefined) report(label, 'one request after another', result.requests);
    for (const [way, outcome] of Object.entries(result.hosted)) report(label, `hosted, over ${way}`, outcome);
  } catch (error) {
    untried.push(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

const started = performance.now();
const consumer = await mkdtemp(join(tmpdir(), 'arango-services-runtimes-'));
try {
  await installTarball(consumer);
  await npmInstall(consumer, ...testedPeers.map((peer) => peer.join('@')));
  for (const runtime of chosen) await tryOut(runtime, consumer);
} finally {
  await rm(consumer, { recursive: true, force: true });
}

const table = formatTable(found);
const { stdout: size } = await exec('du', ['-sm', scratchFolder]);
console.log(`\n${table}\n`);
console.log(
  `${((performance.now() - started) / 1000).toFixed(0)} s; scratch installs ${Number.parseInt(size, 10) || 0} MB`,
);
if (untried.length > 0) reportNotTried('NOT TRIED, or ended before its report:', ...untried);
const complete = failures === 0 && found.length === all.length;
if (complete && !process.env.CI) await writeTable(table);
// Exits explicitly: edge-runtime keeps handles open.
process.exit(failures > 0 || (process.env.CI && untried.length > 0) ? 1 : 0);
