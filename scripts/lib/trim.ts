import { type Comment, parse, type Token, tokTypes } from 'acorn';

/** What tools read: marks of pure calls, hints for bundlers, licences, and the source file that code comes from. */
const forTools = /[@#]__|webpack|@vite|^!|^#|@license|@preserve|^ src\//;

/**
 * Built code without the comments that stand on lines of their own: they are written for who reads `src`, and what a user needs is
 * in the types.
 */
export function stripComments(code: string): string {
  const comments: Comment[] = [];
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true, onComment: comments });
  let stripped = '';
  let at = 0;
  for (const { start, end, value } of comments) {
    const line = code.lastIndexOf('\n', start - 1) + 1;
    const next = code.indexOf('\n', end) + 1;
    const alone = code.slice(line, start).trim() === '' && next > 0 && code.slice(end, next).trim() === '';
    if (!alone || forTools.test(value) || code.startsWith('#!', start)) continue;
    stripped += code.slice(at, line);
    at = next;
  }
  return stripped + code.slice(at);
}

/** Text indented by tabs instead of so many spaces. Lines that begin inside one of `texts` stay as they are. */
export const indentByTabs = (text: string, width: number, texts: readonly (readonly [number, number])[] = []): string =>
  text.replace(new RegExp(`^(?: {${width}})+`, 'gm'), (spaces, at: number) =>
    texts.some(([start, end]) => start < at && at <= end) ? spaces : '\t'.repeat(spaces.length / width),
  );

/** Where the texts of template literals stand in code: their lines are what the program says. */
export function findTemplates(code: string): [number, number][] {
  const tokens: Token[] = [];
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true, onToken: tokens });
  return tokens
    .filter(({ type, start, end }) => type === tokTypes.template && code.slice(start, end).includes('\n'))
    .map(({ start, end }) => [start, end]);
}
