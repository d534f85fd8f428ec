/** A sentence of a page, with the heading above it. A row of a table and an item of a list count as sentences, too. */
export interface Sentence {
  readonly section: string;
  readonly text: string;
}

/** Ends of a sentence: a full stop, then white space and the start of the next one. */
const end = /(?<=[\w`)"”₁-₉}*][.)]*\.(?:\*\*)?)\s+(?=[A-Z`*“"])/;

/** Splits a paragraph. */
const split = (paragraph: string): string[] =>
  paragraph
    .replace(/\s+/g, ' ')
    .trim()
    .split(end)
    .filter((text) => text !== '');

const isRule = (line: string): boolean => /^\|[-| ]+\|$/.test(line);

/** The text of a row without its outer bars. */
const rowText = (line: string): string => line.replace(/^\|\s*/, '').replace(/\s*\|$/, '');

/** Lists the sentences of a page in their order. Headings and the heads of tables are none. */
export function readSentences(markdown: string): Sentence[] {
  const found: Sentence[] = [];
  let section = '';
  let paragraph: string[] = [];
  const flush = () => {
    found.push(...split(paragraph.join(' ')).map((text) => ({ section, text })));
    paragraph = [];
  };
  const lines = markdown.split('\n');
  lines.forEach((line, index) => {
    if (line.startsWith('|')) {
      flush();
      const isHead = isRule(lines[index + 1] ?? '');
      if (!isRule(line) && !isHead) found.push({ section, text: rowText(line) });
    } else if (/^#+ /.test(line)) {
      flush();
      section = line.replace(/^#+ /, '');
    } else if (line.trim() === '') flush();
    else if (/^- /.test(line)) {
      flush();
      paragraph = [line.slice(2)];
    } else paragraph.push(line.trim());
  });
  flush();
  return found;
}
