// Measures the bundle of each subpath and writes the tables of README and docs/measured.md (`npm run sizes`); build first.
import { writeMarked } from './lib/marked.ts';
import { formatSizes, formatSubpaths, measureSizes } from './lib/sizes.ts';

const sizes = await measureSizes();
const table = formatSizes(sizes);
await writeMarked('sizes', 'sizes', table);
await writeMarked('subpaths', 'sizes', formatSubpaths(sizes), 'README.md');
console.log(table);
