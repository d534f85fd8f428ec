// The time for 1 MiB of the worst text found: for each regular expression of src, and for public functions that read
// foreign text. Quadratic time would be hours here.
import { excuseFor, type FoundRegexp, findRegexps } from '../scripts/lib/regexps.ts';
import { recipes, scans } from './regexps/scans.ts';
import { describe, findWorst, recipesFor } from './regexps/texts.ts';

/** Searches once, or for all matches if the expression is global. */
function search({ source, flags }: FoundRegexp): (text: string) => void {
  const regexp = new RegExp(source, flags);
  return (text) => {
    regexp.lastIndex = 0;
    if (regexp.global) text.replace(regexp, '');
    else regexp.test(text);
  };
}

const print = (ms: string, what: string) => console.log(`  ${ms.padStart(7)}  ${what}`);

export async function run(): Promise<void> {
  const all = await findRegexps();
  console.log('regular expressions, ms for 1 MiB of the worst text');
  const rows: (readonly [ms: number, what: string])[] = [];
  for (const found of all.filter((one) => excuseFor(one) === undefined)) {
    const { recipe, ms } = await findWorst(recipesFor(found.source), search(found));
    rows.push([ms, `${found.file} /${found.source}/${found.flags} on ${describe(recipe)}`]);
  }
  const slow = rows.filter(([ms]) => ms >= 1).sort(([one], [other]) => other - one);
  for (const [ms, what] of slow) print(ms.toFixed(1), what);
  print('under 1', `the other ${rows.length - slow.length}`);
  for (const found of all) {
    const why = excuseFor(found);
    if (why !== undefined) print('-', `${found.file} /${found.source}/${found.flags}: not measured, ${why}`);
  }
  console.log('\nwhat is public and reads texts from outside, ms for 1 MiB of the worst of them');
  for (const [name, scan] of scans) {
    const { recipe, ms } = await findWorst(recipes, scan);
    print(ms.toFixed(1), `${name}, on ${describe(recipe)}`);
  }
}
