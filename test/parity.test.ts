import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';
import { readMarked } from '../scripts/lib/marked.ts';
import { formatParity, formatParityTable, makeParity, parityFile } from '../scripts/lib/parity.ts';
import { proofs } from '../scripts/lib/parity-proofs.ts';

const sentences = makeParity();

test('the parity file is what the recordings say: npm run tables writes it', () => {
  expect(readFileSync(root + parityFile, 'utf8') === formatParity(sentences)).toBe(true);
});

test('the parity table of the guide is what the recordings say, too', async () => {
  expect(await readMarked('parity', 'tables', 'docs/guides/fidelity.md')).toBe(formatParityTable(sentences));
});

test('each proof shows a sentence of its own, by a recording that exists', () => {
  const shown = sentences.flatMap(({ recording }) => recording ?? []);
  expect(shown).toHaveLength(proofs.length);
  for (const recording of new Set(shown)) expect(readFileSync(root + recording, 'utf8')).not.toBe('');
});

test('a recording of another answer does not prove a sentence', () => {
  const find = (start: string) => proofs.find(([sentence]) => sentence.startsWith(start))?.[1] ?? /^$/;
  const text = '{} > GET /_integration {}  [] => 404 {} {"code":5,"message":"Not Found","details":[]} # ';
  expect(find('Below `/_integration`').test(text)).toBe(true);
  expect(find('Below `/_integration`').test(text.replace('404', '400'))).toBe(false);
});
