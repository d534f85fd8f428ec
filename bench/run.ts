// Runs the benchmarks that the command line names (`npm run bench -- http policy`), all of them without a name.
import { readdirSync } from 'node:fs';

const shared = new Set(['run', 'harness']);
const benches = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .filter((name) => !shared.has(name));
const named = process.argv.slice(2).map((name) => name.replace(/^bench\//, '').replace(/\.ts$/, ''));
const unknown = named.filter((name) => !benches.includes(name));

if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are: ${benches.join(', ')}`);
  process.exitCode = 2;
} else {
  for (const name of named.length > 0 ? named : benches) {
    console.log(`\n# bench/${name} (Node ${process.versions.node})`);
    // The cast: a module of this folder; every benchmark exports `run`.
    const bench = (await import(`./${name}.ts`)) as { run(): Promise<void> };
    await bench.run();
  }
}
