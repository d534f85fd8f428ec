// Writes docs/parity and the table of docs/guides/fidelity.md from the recordings (`npm run tables`).
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { root } from './lib/exec.ts';
import { writeMarked } from './lib/marked.ts';
import { formatParity, formatParityTable, makeParity, parityFile } from './lib/parity.ts';

const sentences = makeParity();
mkdirSync(dirname(root + parityFile), { recursive: true });
writeFileSync(root + parityFile, formatParity(sentences));
await writeMarked('parity', 'tables', formatParityTable(sentences), 'docs/guides/fidelity.md');
console.log(`${sentences.filter(({ recording }) => recording !== null).length} of ${sentences.length} sentences`);
