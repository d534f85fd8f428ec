// Blocks that start with `// runs` as modules of the site, each of which runs in the page over a mock. They are compiled
// when the site is built: a page holds no compiler.
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { type Block, findBlocks } from '../../scripts/lib/examples.ts';
import { root } from '../../scripts/lib/exec.ts';
import { shownFiles, withCommandsAsCode } from '../../scripts/lib/first-page.ts';
import { manifest, readSubpaths } from '../../scripts/lib/package.ts';
import { arrow, buildRunning, runMarker } from '../../scripts/lib/running-examples.ts';

/** A block that runs in a page: the module's code, or the reason why it runs in Node only. */
export interface RunBlock {
  /** The block's place: `docs/guides/requests.md:9`. */
  readonly id: string;
  /** How many values its comments promise. */
  readonly values: number;
  readonly code?: string;
  readonly reason?: string;
}

const nodeSubpaths = readSubpaths().flatMap(({ specifier, nodeOnly }) => (nodeOnly ? [specifier] : []));

/** What a page cannot do, by what the code of a section holds. */
const limits: readonly (readonly [RegExp, string])[] = [
  [/from 'node:(?!assert\/strict')/, 'it imports a module of Node'],
  [new RegExp(`from '(?:${nodeSubpaths.join('|')})'`), 'it imports a subpath for Node'],
  [/\bgetSetCookie\b/, 'a page may not read Set-Cookie'],
  [/\buploadWithProgress\b/, 'a page uploads by XMLHttpRequest, which the mock in the page cannot answer'],
];

/** README's command that applies its file, as a call that the page's platform answers. */
function commandsAsCode(markdown: string): string {
  const files = shownFiles(markdown);
  return withCommandsAsCode(
    markdown,
    () => `await applyPermissions(${JSON.stringify(files.get('permissions.yaml') ?? '')});`,
  );
}

/** Creates the module of a block with those above it in its section. What it calls is given by the page. */
function moduleOf(file: string, blocks: readonly Block[], block: Block): string {
  const above = blocks.filter(({ section, line }) => section === block.section && line <= block.line);
  const [module = ''] = buildRunning(file, above);
  const imports = module.match(/^import .*;$/gm) ?? [];
  const body = module.replace(/^import .*;\n/gm, '').replace(/export \{\};\s*$/, '');
  const scope = '{ assertSame, applyPermissions, console }';
  return `${imports.join('\n')}\nexport async function run(${scope}) {\n${body}\n}\n`;
}

/** Finds the blocks of a page that run. */
export function findRuns(file: string, markdown: string): RunBlock[] {
  const runs = (text: string) => findBlocks(text).filter(({ code }) => runMarker.test(code));
  const all = runs(commandsAsCode(markdown));
  return runs(markdown).map((block) => {
    const id = `${file}:${block.line}`;
    const values = block.code.match(arrow)?.length ?? 0;
    const code = moduleOf(file, all, block);
    const reason = limits.find(([pattern]) => pattern.test(code))?.[1];
    return { id, values, ...(reason === undefined ? { code } : { reason }) };
  });
}

/** The package as it was built, by its own exports and imports. */
function resolveBuilt(id: string): string | undefined {
  const name = id === manifest.name || id.startsWith(`${manifest.name}/`) ? id.replace(manifest.name, '.') : undefined;
  const target = name === undefined ? manifest.imports[id]?.default : manifest.exports[name];
  if (target === undefined) return undefined;
  return join(root, typeof target === 'string' ? target : target.default);
}

/** Serves the modules of blocks to Vite, as `virtual:run/ID.ts`, and a table of them as `virtual:runs`. */
export function runBlocks(blocks: readonly RunBlock[]): Plugin {
  const codes = new Map(blocks.flatMap(({ id, code }) => (code === undefined ? [] : [[id, code] as const])));
  const entries = [...codes.keys()].map((id) => `[${JSON.stringify(id)}, () => import('virtual:run/${id}.ts')]`);
  return {
    name: 'run-blocks',
    enforce: 'pre',
    resolveId(id) {
      if (id === 'virtual:runs' || id.startsWith('virtual:run/')) return `\0${id}`;
      if (id === 'node:assert/strict') return join(root, 'site/.vitepress/theme/run/assert.ts');
      return resolveBuilt(id);
    },
    load(id, options) {
      // A server that renders pages runs no block.
      if (id === '\0virtual:runs') return `export const runs = new Map([${options?.ssr ? '' : entries.join(',\n')}]);`;
      if (!id.startsWith('\0virtual:run/')) return undefined;
      return { code: codes.get(id.slice('\0virtual:run/'.length, -'.ts'.length)) ?? '', moduleType: 'ts' };
    },
  };
}
