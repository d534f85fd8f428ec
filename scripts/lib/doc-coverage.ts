import { createReader, type ReadSource } from './declarations.ts';
import { parseStatements, type Statement } from './declared.ts';

const comment = String.raw`/\*\*(?:(?!\*/)[\s\S])*\*/\n`;

/** The text of a docstring before its first tag. */
export const textOf = (doc: string): string =>
  doc
    .replace(/^\/\*\*|\*\/\s*$/g, '')
    .replace(/^\s*\* ?/gm, '')
    .trim()
    .split(/(?:^|\s)@[a-z]/)[0] ?? '';

/** True if a docstring has text before its first tag. */
const hasSummary = (doc: string): boolean => /[a-z]{2}/i.test(textOf(doc));

const method = new RegExp(
  String.raw`^\s+(${comment})?\s*(?!private |constructor|readonly |#)(?:get |static |async )*([\w$]+)\??(?:<.*>)?\(`,
  'gm',
);

/** The methods and accessors of a class or an interface, of whose overloads none has a summary. */
function findSilentMethods(text: string): string[] {
  const said = new Map<string, boolean>();
  for (const [, doc = '', name = ''] of text.matchAll(method)) said.set(name, said.get(name) || hasSummary(doc));
  return [...said].filter(([, isSaid]) => !isSaid).map(([name]) => name);
}

const isFunction = ({ kind, text }: Statement): boolean =>
  kind === 'function' || (kind === 'const' && /^[^=]*?\bconst [\w$]+: (?:<.*>)?\(.*\) =>/.test(text));

/**
 * Finds gaps in the docstrings of an entry's names: a summary of a name, or of a method of it; an example of a
 * function. A field need not have one where its name says it all.
 */
export function findUndocumented(entry: string, readSource: ReadSource): string[] {
  const places = createReader(readSource).exportedBy(entry);
  const silent = places.flatMap(({ file, name }) => {
    const declarations = parseStatements(readSource(file)).filter((statement) => statement.name === name);
    const found = declarations.some(({ doc }) => hasSummary(doc)) ? [] : [`${name} has no summary`];
    if (declarations.some(isFunction) && !declarations.some(({ doc }) => doc.includes('@example')))
      found.push(`${name} has no example`);
    for (const { kind, text } of declarations) {
      if (kind !== 'class' && kind !== 'interface') continue;
      found.push(...findSilentMethods(text).map((one) => `${name}.${one} has no summary`));
    }
    return found;
  });
  // Overloads of a function are exported once each.
  return [...new Set(silent)];
}
