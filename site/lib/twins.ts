// For language models, and for those who read in a terminal: each page as Markdown beside its HTML, llms.txt, and the
// guides and contracts in one file.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readPage, resolveLink } from './pages.ts';

const linkTarget = /(?<=\]\()[^)\s]+(?=\))/g;
const frontmatter = /^---\n.*?\n---\n+/s;
/** A line that is a Vue component. */
const component = /^<[A-Z]\w*[^\n]*\/>\n+/gm;

/** The text of a file with its links leading to the twins of other pages. */
const relink = (pages: ReadonlyMap<string, string>, file: string): string =>
  readPage(file).replace(linkTarget, (link) => resolveLink(pages, file, link) ?? link);

/** The Markdown of a page, without what only VitePress reads. */
export const twinOf = (pages: ReadonlyMap<string, string>, file: string): string =>
  relink(pages, file).replace(frontmatter, '').replace(component, '');

/** The pages that llms-full.txt holds: README, guides and contracts. */
const isGuide = (file: string): boolean => /^README\.md$|^docs\/(?:guides\/)?[^/]+\.md$/.test(file);

/** Writes the twins, llms.txt and llms-full.txt into the folder of the site. */
export async function writeTwins(pages: ReadonlyMap<string, string>, folder: string): Promise<void> {
  const guides: string[] = [];
  for (const [file, place] of pages) {
    const text = twinOf(pages, file);
    if (isGuide(file)) guides.push(`<!-- ${place} -->\n${text}`);
    await mkdir(dirname(join(folder, place)), { recursive: true });
    await writeFile(join(folder, place), text);
  }
  await writeFile(join(folder, 'llms-full.txt'), guides.join('\n'));
  await writeFile(join(folder, 'llms.txt'), relink(pages, 'llms.txt'));
}
