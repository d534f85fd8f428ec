// Runs the benchmarks named on the command line (`npm run bench -- http policy`) and replaces their sections of
// bench/RESULTS.md with the output; without a name it runs all of them and rewrites the file.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { format } from 'node:util';
import { writeMarked } from '../scripts/lib/marked.ts';
import { formatSpeed } from '../scripts/lib/speed-table.ts';

const shared = new Set(['run', 'harness']);
const benches = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .filter((name) => !shared.has(name));
const named = process.argv.slice(2).map((name) => name.replace(/^bench\//, '').replace(/\.ts$/, ''));
const unknown = named.filter((name) => !benches.includes(name));
const results = `${import.meta.dirname}/RESULTS.md`;

/** The sections of RESULTS.md by their heading. */
function readSections(): Map<string, string> {
  const text = existsSync(results) ? readFileSync(results, 'utf8') : '';
  const [, ...sections] = text.split(/^## /m);
  return new Map(
    sections.map((section) => [section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n') + 1)]),
  );
}

/** Runs a benchmark and returns its output. */
async function runBench(name: string): Promise<string> {
  const lines: string[] = [];
  const { log } = console;
  console.log = (...values: unknown[]) => {
    lines.push(format(...values));
    log(...values);
  };
  try {
    // The cast: a module of this folder; every benchmark exports `run`.
    const bench = (await import(`./${name}.ts`)) as { run(): Promise<void> };
    await bench.run();
  } finally {
    console.log = log;
  }
  return lines.join('\n').trim();
}

if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are: ${benches.join(', ')}`);
  process.exitCode = 2;
} else {
  const sections = named.length > 0 ? readSections() : new Map<string, string>();
  const { node, v8 } = process.versions;
  const [{ model = 'unknown CPU' } = {}] = cpus();
  const machine = `${cpus().length} × ${model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${process.platform}`;
  for (const name of named.length > 0 ? named : benches) {
    console.log(`\n# bench/${name} (Node ${node})`);
    const [load = 0] = loadavg();
    const started = performance.now();
    const printed = await runBench(name);
    const taken = `load ${load.toFixed(1)} before, ${((performance.now() - started) / 1_000).toFixed(0)} s`;
    const head = `\`npm run bench -- ${name}\`, Node ${node}, V8 ${v8}; ${machine}; ${taken}`;
    sections.set(`bench/${name}`, `\n${head}\n\n\`\`\`\n${printed}\n\`\`\`\n\n`);
    const body = [...sections].sort(([a], [b]) => (a < b ? -1 : 1)).map(([title, text]) => `## ${title}\n${text}`);
    writeFileSync(results, `# Measurements\n\nWritten by \`npm run bench\`.\n\n${body.join('').trim()}\n`);
    if (name === 'http') await writeMarked('speed', 'bench', formatSpeed(readFileSync(results, 'utf8')));
  }
}
