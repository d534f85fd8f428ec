// Measures the bundle of each subpath and writes the table of docs/measured.md (`npm run sizes`); build first.
import { writeMarked } from './lib/marked.ts';
import { formatSizes, measureSizes } from './lib/sizes.ts';

const table = formatSizes(await measureSizes());
await writeMarked('sizes', 'sizes', table);
console.log(table);
