import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './exec.ts';

const measured = 'docs/measured.md';

/** Splits a text at two marks; the middle is what a script wrote. Throws for a text without them. */
function findMarked(text: string, name: string, script: string) {
  const [begin, end] = [`<!-- ${name}: written by npm run ${script} -->`, `<!-- /${name} -->`];
  const [at, to] = [text.indexOf(begin), text.indexOf(end)];
  const from = at + begin.length;
  if (at < 0 || to < from) throw new Error(`there is no ${begin} … ${end}`);
  return { before: text.slice(0, from), marked: text.slice(from, to).trim(), after: text.slice(to) };
}

/** Reads what a script wrote between its marks in a page. */
export async function readMarked(name: string, script: string, page = measured): Promise<string> {
  return findMarked(await readFile(join(root, page), 'utf8'), name, script).marked;
}

/** Writes a script's findings between its marks in a page. */
export async function writeMarked(name: string, script: string, content: string, page = measured): Promise<void> {
  const file = join(root, page);
  const { before, after } = findMarked(await readFile(file, 'utf8'), name, script);
  await writeFile(file, `${before}\n${content}\n${after}`);
}
