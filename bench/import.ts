// The cost of importing each subpath, beside its peers: CPU time of fresh processes, less that of an empty one; and the
// time until the mock's command listens, beside a bare server.
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { readSubpaths } from '../scripts/lib/package.ts';

const rounds = 11;
const runFile = promisify(execFile);
const peers = ['ky', 'arangojs', 'undici', 'jose', 'msw/http'];

/** Milliseconds of CPU time that a fresh process takes to import a module; without one, to do nothing. */
async function measure(specifier: string | undefined): Promise<number> {
  const code = `${specifier === undefined ? '' : `await import('${specifier}');`}
    const { user, system } = process.cpuUsage();
    console.log(user + system);`;
  const args = ['--input-type=module', '--eval', code];
  const { stdout } = await runFile(process.execPath, args, { cwd: `${import.meta.dirname}/..` });
  return Number(stdout.trim().split('\n').at(-1)) / 1_000;
}

/** Milliseconds until a fresh process prints that it listens. */
async function measureStart(args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: `${import.meta.dirname}/..`,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const text of child.stdout) if (String(text).includes('listening')) break;
  const ms = performance.now() - began;
  child.kill();
  return ms;
}

const bareServer = `import { createServer } from 'node:http';
  createServer((_, response) => response.end()).listen(0, '127.0.0.1', () => console.log('listening'));`;

/** Prints the start of `arango-services mock` as a ratio to that of a bare server, in pairs. */
async function compareStarts(): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round < 2 * rounds; round++) {
    const bare = await measureStart(['--input-type=module', '--eval', bareServer]);
    ratios.push((await measureStart(['dist/command/index.js', 'mock', '--port', '0'])) / bare);
  }
  const sorted = ratios.sort((a, b) => a - b).map((ratio) => ratio.toFixed(2));
  console.log('\nstart until it listens, as a ratio to a bare server of node:http; median (least to most)');
  console.log(`  arango-services mock  ${sorted[rounds]} (${sorted[0]} to ${sorted.at(-1)})`);
}

export async function run(): Promise<void> {
  const specifiers = [...readSubpaths().map(({ specifier }) => specifier), ...peers];
  const taken = new Map<string, number[]>(specifiers.map((specifier) => [specifier, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [specifier, values] of taken) {
      // Right beside each other: what else the machine does reaches both.
      const empty = await measure(undefined);
      values.push((await measure(specifier)) - empty);
    }
  }
  console.log(`\nCPU ms to import, less an empty process; median of ${rounds} (least to most)`);
  for (const [specifier, values] of taken) {
    const sorted = values.sort((a, b) => a - b);
    const [least, median, most] = [0, Math.floor(rounds / 2), rounds - 1].map((at) =>
      (sorted[at] ?? Number.NaN).toFixed(1),
    );
    console.log(`  ${specifier.padEnd(28)} ${median?.padStart(6)} (${least} to ${most})`);
  }
  await compareStarts();
}
