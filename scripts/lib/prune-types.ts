import { parseStatements, resolveTypes, type Statement } from './declared.ts';

/**
 * Declarations without what no entry leads to: whole files, and in the others the statements that nothing names which
 * an entry exports. A name counts wherever it stands, so rather too much is left than too little.
 */
export function pruneTypes(entries: readonly string[], sources: ReadonlyMap<string, string>): Map<string, string> {
  const modules = new Map([...sources].map(([file, source]) => [file, parseStatements(source)]));
  const used = new Map<string, Set<string>>();
  const waiting: [file: string, name: string][] = [];

  const statementsOf = (file: string): Statement[] => {
    const found = modules.get(file);
    if (found === undefined) throw new Error(`${file} is named, but it is not there`);
    return found;
  };
  const need = (file: string | undefined, name: string): void => {
    if (file === undefined) return;
    const names = used.get(file) ?? new Set();
    used.set(file, names);
    if (names.has(name)) return;
    names.add(name);
    waiting.push([file, name]);
  };
  const exportsOf = (file: string): string[] =>
    statementsOf(file).flatMap(({ exported, name, listed, from }) => {
      if (!exported) return [];
      if (name !== undefined) return [name];
      if (listed !== undefined) return [...listed.keys()];
      const target = from === undefined ? undefined : resolveTypes(file, from);
      return target === undefined ? [] : exportsOf(target);
    });
  const needIn = (file: string, { code, name, listed, from }: Statement, wanted: string): void => {
    const target = from === undefined ? undefined : resolveTypes(file, from);
    if (listed !== undefined) {
      const original = listed.get(wanted);
      if (original !== undefined) need(from === undefined ? file : target, original);
    } else if (target !== undefined) {
      if (exportsOf(target).includes(wanted)) need(target, wanted);
    } else if (name === wanted) {
      for (const [, specifier = '', imported = ''] of code.matchAll(/import\(['"]([^'"]+)['"]\)\.([\w$]+)/g)) {
        need(resolveTypes(file, specifier), imported);
      }
      for (const [word] of code.matchAll(/[A-Za-z_$][\w$]*/g)) need(file, word);
    }
  };

  for (const entry of entries) for (const name of exportsOf(entry)) need(entry, name);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [file, name] = next;
    for (const statement of statementsOf(file)) needIn(file, statement, name);
  }
  return new Map(
    [...used].map(([file, names]) => [
      file,
      statementsOf(file)
        .flatMap((statement) => keep(statement, names))
        .join(''),
    ]),
  );
}

/** What is left of a statement where these names are used. */
function keep({ doc, text, code, name, listed }: Statement, used: ReadonlySet<string>): string[] {
  if (name !== undefined) return used.has(name) ? [doc + text] : [];
  // `export {}` names nothing and makes a module of a file.
  if (listed === undefined || listed.size === 0) return [doc + text];
  const left = [...listed.keys()].filter((local) => used.has(local));
  if (left.length === listed.size) return [doc + text];
  if (left.length === 0) return [];
  const items = code
    .slice(code.indexOf('{') + 1, code.indexOf('}'))
    .split(',')
    .filter((item) => left.some((local) => new RegExp(`(?:^|\\s)${local.replaceAll('$', '\\$')}\\s*$`).test(item)));
  return [doc + text.replace(/\{[^}]*\}/, () => `{${items.join(',').trimEnd()} }`)];
}
