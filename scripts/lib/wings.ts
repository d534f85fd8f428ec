import { readFileSync } from 'node:fs';
import { root } from './exec.ts';

/** A wing of src, as CONTRIBUTING.md describes it. */
export interface Wing {
  readonly name: string;
  readonly content: string;
  /** The wings that it imports. */
  readonly imports: readonly string[];
}

/** The table of wings in CONTRIBUTING.md, in its order. */
export function readWings(): Wing[] {
  const [, section = ''] = readFileSync(`${root}CONTRIBUTING.md`, 'utf8').split('## Architecture of src\n');
  const rows = section.split('\n## ', 1)[0]?.matchAll(/^\| `(\w+)` \| (.*) \|(.*)\|$/gm) ?? [];
  return [...rows].map(([, name = '', content = '', imports = '']) => ({
    name,
    content,
    imports: imports.match(/\w+/g) ?? [],
  }));
}

/** The table of docs/architecture.md: each wing with its content, from the top of the picture down. */
export const formatWings = (): string =>
  [
    '| wing | content |',
    '|---|---|',
    ...readWings()
      .map(({ name, content }) => `| \`${name}\` | ${content} |`)
      .reverse(),
  ].join('\n');
