// Checks every regular expression of src and prints those that could take more than linear time. Exits with 1 if there
// is one. Expressions found safe are cached in node_modules/.cache, by their text and the version of the tool.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { root } from './lib/exec.ts';
import { excuseFor, findRegexps } from './lib/regexps.ts';

const cache = `${root}node_modules/.cache/regexps.json`;
const { version } = createRequire(import.meta.url)('recheck/package.json');

/** The proofs of earlier runs, each as the expression's text. */
function readProofs(): Set<string> {
  try {
    const { tool, safe } = JSON.parse(readFileSync(cache, 'utf8'));
    return new Set(tool === version ? safe : []);
  } catch {
    return new Set();
  }
}

/** The tool's verdict on an expression; `safe` if it takes linear time. */
async function statusOf(source: string, flags: string): Promise<string> {
  // Loading it takes a second, which most runs can save. The hardest expression takes it some seconds on a quiet machine.
  const { checkSync } = await import('recheck');
  // A trial run that is cut off counts as too slow, so on a busy machine the default of one second refuses safe ones.
  const patient = { timeout: 600_000, incubationTimeout: 120_000, attackTimeout: 300_000 };
  return checkSync(source, flags, patient).status;
}

const proven = readProofs();
const safe = new Set<string>();
const all = await findRegexps();
const failures: string[] = [];
for (const found of all) {
  const { file, source, flags } = found;
  if (excuseFor(found) !== undefined) continue;
  if (flags === 'new RegExp') failures.push(`${file}: new RegExp(…) cannot be checked; write a literal`);
  else {
    const text = `/${source}/${flags}`;
    const status = proven.has(text) ? 'safe' : await statusOf(source, flags);
    if (status === 'safe') safe.add(text);
    else failures.push(`${file}: ${text} is ${status}`);
  }
}
mkdirSync(dirname(cache), { recursive: true });
writeFileSync(cache, JSON.stringify({ tool: version, safe: [...safe] }));
for (const failure of failures) console.error(failure);
console.log(`${all.length} regular expressions, ${failures.length} that could take more than linear time`);
process.exitCode = failures.length === 0 ? 0 : 1;
