import { parse, type Token, tokTypes } from 'acorn';

/** A line inside a function ends behind the first statement or brace beyond this. */
const usual = 120;
/** A line of a compact file that grows beyond this is continued behind its next comma or logical operator. */
const longest = 160;

// A line may end behind these without a change of meaning: none of them can precede a place without line breaks, like
// that before `=>` or behind `return`.
const ends = new Set([tokTypes.semi, tokTypes.braceL]);
const endsOfLong = new Set([tokTypes.comma, tokTypes.coalesce, tokTypes.logicalOR, tokTypes.logicalAND]);

/**
 * Breaks compact code into lines behind its top-level statements, inside of them behind statements and opening braces,
 * and long lines behind commas and logical operators, without indentation: an uncaught error prints the line that threw.
 */
export function breakLines(code: string): string {
  const tokens: Token[] = [];
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true, onToken: tokens });
  const lines: string[] = [];
  let start = 0;
  let depth = 0;
  for (const { type, end } of tokens) {
    if (type === tokTypes.braceL || type === tokTypes.dollarBraceL) depth++;
    else if (type === tokTypes.braceR) depth--;
    if (code[end] === '\n') continue;
    const length = end - lastBreak(code, start, end);
    if (!(ends.has(type) && (depth === 0 || length > usual)) && !(endsOfLong.has(type) && length > longest)) continue;
    lines.push(code.slice(start, end));
    start = end;
  }
  return [...lines, code.slice(start)].join('\n');
}

/** The beginning of the line that holds `end`. */
const lastBreak = (code: string, start: number, end: number): number =>
  Math.max(start, code.lastIndexOf('\n', end - 1) + 1);
