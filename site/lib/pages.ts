// The Markdown files of the repository that are pages of the site, and the place of each. No file is copied.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from '../../scripts/lib/exec.ts';
import { addressInRepository } from '../../scripts/lib/package.ts';

/** The reference, which `npm run docs` writes and which git ignores. */
export const referenceFolder = 'docs/api';

const patterns = [
  'site/*.md',
  '*.md',
  'docs/*.md',
  'docs/{guides,decisions}/*.md',
  `${referenceFolder}/**/*.md`,
  'examples/{README,*/README}.md',
];

/** The place of a file on the site: that of `docs/guides/requests.md` is `guides/requests.md`. */
export function placeOf(file: string): string {
  if (file === 'README.md') return 'readme.md';
  if (file === 'docs/README.md') return 'docs.md';
  return file
    .replace(/^(?:site|docs)\//, '')
    .replace(/(?<=^|\/)README\.md$/, 'index.md')
    .replace(/^[A-Z]+(?=\.md$)/, (name) => name.toLowerCase());
}

/** The pages' places by their files, sorted by file; without the reference if it is to be left out. */
export function readPages({ withReference }: { readonly withReference: boolean }): Map<string, string> {
  const files = new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root })));
  const ofSite = [...files].filter((file) => withReference || !file.startsWith(`${referenceFolder}/`));
  return new Map(ofSite.sort().map((file) => [file, placeOf(file)]));
}

/** The text of a file, by its path from the repository's root. */
export const readPage = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The site's address of a place, from its base: `/guides/requests` of `guides/requests.md`. */
export const addressOf = (place: string): string => `/${place.replace(/(?:(?<=^|\/)index)?\.md$/, '')}`;

/**
 * The link of a file as its page has it: relative to another page, or the file in the repository where there is no page
 * of it. A link that needs no change is returned as it is; `undefined` if it leads nowhere.
 */
export function resolveLink(pages: ReadonlyMap<string, string>, from: string, link: string): string | undefined {
  if (/^(?:[a-z]+:|#|\/)/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = posix.join(posix.dirname(from), path).replace(/\/$/, '');
  const end = anchor === undefined ? '' : `#${anchor}`;
  const place = pages.get(target) ?? pages.get(posix.join(target, 'README.md'));
  if (place !== undefined) {
    const relative = posix.relative(posix.dirname(pages.get(from) ?? from), place);
    return `${relative.startsWith('.') ? relative : `./${relative}`}${end}`;
  }
  return existsSync(join(root, target)) ? addressInRepository(target) + end : undefined;
}
