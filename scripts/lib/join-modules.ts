import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { breakLines } from './break-lines.ts';
import { compact } from './compact.ts';
import { root } from './exec.ts';
import { manifest, readEntries, sourceOf } from './package.ts';
import { markPure } from './pure-marks.ts';

const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

const sharedByTheClient =
  /src\/(base\/(lib\/url|secrets\/schema-issues)|client\/(credentials|services|runtimes|connection\/(?!answer|connection\.|deployment|exchange|failure|.*-runtime)))/;
/** The rest of a client of routes, which the main entry and that of routes share. */
const theRoutes = /src\/client\/(route|connection\/(answer|connection\.|deployment|exchange))/;
const sharedByAll =
  /src\/(base\/(errors|lib\/(?!before-ky|url)|jwt\/(token-text|session)|secrets\/(filter|names|sent))|policy\/model\/(normalize|shape))/;
/** The regions and evaluators of the analysis, which the matchers of permissions take without the rest. */
const theEvaluators = /src\/policy\/analysis\/(analysis-error|text-shape|region|read-(evaluator|input))\./;
const theAnalysis = /src\/policy\/(analysis|decisions\/batches)/;
/** Keys and owners of the items of permissions, which the matchers take without the rest. */
const theItems = /src\/permissions\/(model\/(binding-key|known-owners|plan-change)|tests\/explainer)\./;
/** What an import of `./permissions` runs: neither the readers of files, for which zod and yaml are loaded, nor reports. */
const thePermissions =
  /src\/permissions\/(access\/(?!find-|.*report)|apply|files\/(?!add-|check-|coll|edit-|file-editor|item-|limit|load|sound)|folder|format\/(file-text|policy|yaml-text)|holds\/(hold\.|read)|lint|model|plan|read-|resources\/(export|resource-names)|tests\/(?!parse|test-schema)|unclear)/;

/**
 * Moves the imports of packages before those of files. Bundlers keep this order, so the modules of this package stay
 * together, and gzip finds in them what they have in common: a bundle with ky is 1.5% smaller. The check that precedes
 * ky stays before it.
 */
function importPackagesFirst(code: string): string {
  const [imports] = /^(?:import\b[^;]*;\s*)+/.exec(code) ?? [];
  if (imports === undefined) return code;
  const statements = imports.match(/import\b[^;]*;/g) ?? [];
  const isOfFile = (statement: string) => /["'`]\.{1,2}\/(?!.*before-ky)/.test(statement);
  const sorted = [...statements.filter((one) => !isOfFile(one)), ...statements.filter(isOfFile)];
  return `${sorted.join('')}\n${code.slice(imports.length)}`;
}

/**
 * Joins compiled modules to the files of the package: an entry for each subpath, and what several of them share.
 * rolldown does it, because the splitting of esbuild, and so of tsup, makes a file for every set of entries that share
 * something: the client would be twenty, and to open a file costs an importing program more than to read it.
 */
export async function joinModules(from: string, to: string): Promise<void> {
  const bundle = await rolldown({
    cwd: join(root, from),
    input: Object.fromEntries(readEntries().map((entry) => [entry, sourceOf(entry).replace(/ts$/, 'js')])),
    platform: 'neutral',
    external: [/^node:/, /^#/, ...packages.map((name) => new RegExp(`^${name}(/|$)`))],
    preserveEntrySignatures: 'allow-extension',
    // Rolldown's warnings, like an import of a package that package.json does not name, are errors here. It warns of
    // each directive, and keeps those of entries.
    onLog(level, { code, message }) {
      if (level === 'warn' && code !== 'MODULE_LEVEL_DIRECTIVE') throw new Error(message);
    },
  });
  const { output } = await bundle.write({
    dir: join(root, to),
    cleanDir: true,
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: 'shared', test: sharedByAll, minShareCount: 2 },
        { name: 'calls', test: sharedByTheClient, minShareCount: 2 },
        { name: 'before-ky', test: /before-ky/ },
        { name: 'routes', test: theRoutes, minShareCount: 2 },
        { name: 'evaluators', test: theEvaluators, minShareCount: 2 },
        { name: 'analysis', test: theAnalysis, minShareCount: 2 },
        { name: 'items', test: theItems, minShareCount: 2 },
        { name: 'permissions', test: thePermissions, minShareCount: 2 },
        { name: 'policy', test: /src\/policy\/(evaluate|explain|index|lint|model|public)/ },
      ],
    },
    comments: { jsdoc: false },
  });
  for (const file of output) {
    if (file.type !== 'chunk') continue;
    await writeFile(join(root, to, file.fileName), breakLines(importPackagesFirst(markPure(compact(file.code)))));
  }
  for (const command of Object.values(manifest.bin)) await chmod(join(root, command), 0o755);
}
