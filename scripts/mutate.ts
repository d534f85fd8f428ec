// Mutation tests of rooms of src: `npm run mutate -- jwt token`, all of them without a name; a file's path stands for
// that file alone. For each room the score, and where the mutants are that no test found. Exit 1 where it is too low.
import { Stryker } from '@stryker-mutator/core';
import { root } from './lib/exec.ts';
import { rooms } from './lib/mutation-rooms.ts';

const names = process.argv.slice(2);
/** The room of a file: `policy/analysis/log` and not `policy`, whose files are others. */
const roomOf = (file: string): string | undefined =>
  Object.keys(rooms)
    .filter((name) => new RegExp(`^src/(?:\\w+/)?${name}/`).test(file))
    .sort((a, b) => b.length - a.length)[0];
const wanted = Object.entries(rooms).flatMap(([name, room]) => {
  const files = names.filter((file) => roomOf(file) === name);
  if (names.length === 0 || names.includes(name)) return [{ ...room, name }];
  return files.length > 0 ? [{ ...room, name, mutate: files }] : [];
});
if (wanted.length === 0) {
  console.error(`no such room; there are ${Object.keys(rooms).join(', ')}`);
  process.exit(2);
}
process.chdir(root);

for (const { name, mutate, least } of wanted) {
  const started = performance.now();
  // vitest.mutation.config.ts reads it in the processes that run the tests.
  process.env.MUTATED_ROOM = name;
  process.env.THOROUGH = '1';
  const report = `reports/mutation/${name.replaceAll('/', '-')}.json`;
  const results = await new Stryker({ mutate: [...mutate], jsonReporter: { fileName: report } }).runMutationTest();
  const found = results.filter(({ status }) => status === 'Killed' || status === 'Timeout');
  const lost = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  for (const { fileName, location, status, mutatorName, replacement } of lost) {
    const { line, column } = location.start;
    const file = fileName.replace(root, '');
    console.log(`${status} ${file}:${line}:${column} ${mutatorName}: ${replacement?.replace(/\s+/g, ' ')}`);
  }
  const score = (100 * found.length) / (found.length + lost.length);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const verdict = score >= least ? 'ok' : 'TOO LOW';
  console.log(
    `${name}: ${score.toFixed(1)}% of ${found.length + lost.length}, at least ${least}% (${seconds} s): ${verdict}`,
  );
  if (!(score >= least)) process.exitCode = 1;
}
