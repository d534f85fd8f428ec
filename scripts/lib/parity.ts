import { readFileSync } from 'node:fs';
import { root } from './exec.ts';
import { proofs } from './parity-proofs.ts';
import { type Evidence, readEvidence } from './recordings.ts';
import { readSentences } from './sentences.ts';

/** A sentence of docs/wire.md, and the recording that last showed it; null if none did. */
export interface ParitySentence {
  readonly section: string;
  readonly sentence: string;
  readonly recording: string | null;
  /** The day of the recording; null if its file names none. */
  readonly date: string | null;
  /** True if it is about a version that was read and never run. */
  readonly readOnly?: true;
}

export const parityFile = 'docs/parity/kube-arangodb-recorded.json';

/** The last of some recordings: by day, then by name. Those without a day come first. */
function last(found: readonly Evidence[]): Evidence | undefined {
  const key = ({ date, recording }: Evidence) => `${date ?? ''} ${recording}`;
  return found.reduce<Evidence | undefined>((best, one) => (best && key(best) >= key(one) ? best : one), undefined);
}

/**
 * Finds the recording that last showed each sentence.
 * @throws Error for a proof whose sentence is not on the page, or that no recording matches.
 */
export function makeParity(): ParitySentence[] {
  const page = readSentences(readFileSync(`${root}docs/wire.md`, 'utf8'));
  const evidence = readEvidence();
  const shown = new Map<string, Evidence>();
  for (const [start, shows] of proofs) {
    const [sentence, another] = page.filter(({ text }) => text.startsWith(start));
    if (sentence === undefined || another !== undefined) throw new Error(`not the start of one sentence: ${start}`);
    const found = last(evidence.filter(({ text }) => shows.test(text)));
    if (found === undefined) throw new Error(`no recording shows: ${start}`);
    shown.set(sentence.text, found);
  }
  return page.map(({ section, text }) => {
    const { recording = null, date = null } = shown.get(text) ?? {};
    const isRead = section.endsWith('(read)') || text.endsWith('(read).') || text.endsWith('| read');
    return { section, sentence: text, recording, date, ...(isRead && { readOnly: true }) };
  });
}

/** The text of the parity file. */
export const formatParity = (sentences: readonly ParitySentence[]): string =>
  // A sentence a line.
  `{"services":"kube-arangodb, master 74c196ac of 2026-08-21","page":"docs/wire.md","sentences":[
${sentences.map((sentence) => JSON.stringify(sentence)).join(',\n')}
]}\n`;

/** The table of docs/guides/fidelity.md: the sentences of each section, and how many of them recordings show. */
export function formatParityTable(sentences: readonly ParitySentence[]): string {
  const rows = [...Map.groupBy(sentences, ({ section }) => section)].map(([section, some]) => {
    const shown = some.filter(({ recording }) => recording !== null);
    const dates = shown.flatMap(({ date }) => date ?? []).sort();
    return `| ${section} | ${some.length} | ${shown.length} | ${dates.at(-1) ?? ''} |`;
  });
  return ['| section of docs/wire.md | sentences | shown by a recording | last |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}
