import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'vite';
import { root } from '../../scripts/lib/exec.ts';

/** A string literal, or the text of a template literal, with its place. */
export interface FoundString {
  readonly place: string;
  readonly text: string;
  /** True for the name of a `describe`, `test` or `it`. */
  readonly isTestName: boolean;
}

/** The fields of a syntax node that are read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly value?: unknown;
  readonly object?: Node;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
}

/** The function that a call begins with: `test` for `test.each(rows)('name', …)`. */
const functionOf = ({ name, callee, object }: Node): string | undefined => {
  const inner = callee ?? object;
  return inner === undefined ? name : functionOf(inner);
};

function textOf({ type, value, quasis }: Node): string | undefined {
  if (type === 'Literal' && typeof value === 'string') return value;
  return type === 'TemplateLiteral' ? quasis?.map(({ value: { cooked } }) => cooked).join('…') : undefined;
}

/** The strings in a file's code, comments and the specifiers of imports left out. */
export function stringsIn(code: string, file: string): FoundString[] {
  const found: FoundString[] = [];
  let [line, at] = [1, 0];
  const visit = (node: unknown, isName: boolean): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one, false);
      return;
    }
    // The cast: the parser's nodes have these fields.
    const one = node as Node;
    const text = textOf(one);
    if (text !== undefined) {
      // Nodes come in the order of the code.
      line += code.slice(at, one.start).split('\n').length - 1;
      at = one.start;
      found.push({ place: `${file}:${line}`, text, isTestName: isName });
    }
    const named = one.type === 'CallExpression' && /^(?:describe|test|it)$/.test(functionOf(one) ?? '');
    for (const [key, child] of Object.entries(node)) {
      if (key === 'arguments' && named) for (const [i, argument] of child.entries()) visit(argument, i === 0);
      else visit(child, false);
    }
  };
  visit(parseAst(code, { lang: 'ts' }, file), false);
  return found;
}

/**
 * The strings of the files that a glob pattern matches. Only those files are parsed whose code has what is searched for
 * somewhere, as text.
 */
export const findStrings = (pattern: string, telling: RegExp): FoundString[] =>
  globSync(pattern, { cwd: root })
    .sort()
    .flatMap((file) => {
      const code = readFileSync(root + file, 'utf8');
      return telling.test(code) ? stringsIn(code, file) : [];
    });
