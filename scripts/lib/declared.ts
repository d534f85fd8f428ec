import { posix } from 'node:path';

/** A statement of a `.d.ts` file, as tsc writes it. */
export interface Statement {
  /** The docstring in front of it, or nothing. */
  readonly doc: string;
  /** The statement with the comments in it. */
  readonly text: string;
  /** Without comments. */
  readonly code: string;
  readonly exported: boolean;
  /** `class`, `interface`, `type`, `const`, `let` or `function`, where it is a declaration. */
  readonly kind: string | undefined;
  /** The declared name. */
  readonly name: string | undefined;
  /** The names of `import { … }` and `export { … }`: the name there, by the name here. */
  readonly listed: ReadonlyMap<string, string> | undefined;
  /** Where these, or those of `export *`, come from. */
  readonly from: string | undefined;
}

// Each begins in the first column, and so does the docstring of each.
const start = /^(?=(?:import|export|declare|interface|type|abstract|class)\b|\/\*\*|\/\/\/)/m;
const declaring = /^(?:export )?(?:declare )?(?:abstract )?(class|interface|type|const|let|function) ([\w$]+)/;
const listing = /^(?:import|export)(?: type)? \{([^}]*)\}/;

/** The statements of a `.d.ts` file. Overloads of a function are one each. */
export function parseStatements(source: string): Statement[] {
  let before = '';
  return source.split(start).flatMap((text): Statement[] => {
    if (text.startsWith('/**')) {
      before += text;
      return [];
    }
    const doc = before;
    before = '';
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
    const list = listing
      .exec(code)?.[1]
      ?.split(',')
      .filter((item) => item.trim() !== '');
    const listed = list?.map((item): [string, string] => {
      const [original = '', local = original] = item
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      return [local.trim(), original.trim()];
    });
    const [, kind, name] = declaring.exec(code) ?? [];
    const from = /(?:\bfrom|^import) ['"]([^'"]+)['"];\s*$/.exec(code)?.[1];
    return [
      { doc, text, code, exported: code.startsWith('export'), kind, name, listed: listed && new Map(listed), from },
    ];
  });
}

/** The `.d.ts` file that a specifier in another one names; undefined for what another package has. */
export const resolveTypes = (file: string, specifier: string): string | undefined =>
  specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.d.ts') : undefined;
