// Measures the bundle of each subpath, and whole pages, and writes the tables of README, docs/measured.md and
// docs/guides/browsers.md (`npm run sizes`); build first.
import { writeMarked } from './lib/marked.ts';
import { formatPages, measurePages } from './lib/pages.ts';
import { formatSizes, formatSubpaths, measureSizes } from './lib/sizes.ts';

const sizes = await measureSizes();
const table = formatSizes(sizes);
await writeMarked('sizes', 'sizes', table);
await writeMarked('subpaths', 'sizes', formatSubpaths(sizes), 'README.md');
const pages = formatPages(await measurePages());
await writeMarked('pages', 'sizes', pages, 'docs/guides/browsers.md');
console.log(`${table}\n${pages}`);
