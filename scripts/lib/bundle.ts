import { build } from 'esbuild';

/** A bundle as a browser would load it. */
export interface Bundle {
  readonly text: string;
  /** The modules that left code in the bundle. */
  readonly modules: readonly string[];
  /** The imports that are left at run time. */
  readonly external: readonly string[];
}

/**
 * Bundles `code` for a browser, in memory, with its imports resolved from `folder`.
 * Imports of `node:` stay as they are, so that `findUnwanted` can name who brought them.
 */
export async function bundleForBrowser(code: string, folder: string): Promise<Bundle> {
  const result = await build({
    stdin: { contents: code, resolveDir: folder, sourcefile: 'consumer.js' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    external: ['node:*'],
    write: false,
    metafile: true,
    logLevel: 'silent',
    absWorkingDir: folder,
  });
  const outputs = Object.values(result.metafile.outputs);
  return {
    text: result.outputFiles.map((file) => file.text).join('\n'),
    modules: outputs.flatMap((output) =>
      Object.entries(output.inputs).flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? name : [])),
    ),
    external: outputs.flatMap((output) => output.imports.map(({ path }) => path)),
  };
}

const unwantedModules: readonly (readonly [what: string, module: RegExp])[] = [
  ['msw', /(?:^|\/)node_modules\/@?msw\//],
  ["jose's verification", /(?:^|\/)node_modules\/jose\/.*(?:verify|jwks|decrypt|key_management)/],
];
const unwantedText: readonly (readonly [what: string, text: RegExp])[] = [
  ['the text "msw"', /\bmsw\b/i],
  // The message that every jose verification can throw.
  ["jose's verification errors", /signature verification failed/],
  ['a `node:` specifier', /["'`]node:/],
  ['a `require` of a module', /\brequire\(["'`]/],
];

/** Unwanted content of the main entry's bundle, one line each; empty if the bundle is clean. */
export function findUnwanted(bundle: Bundle): string[] {
  return [
    ...bundle.external.map((specifier) => `imports ${specifier} at run time`),
    ...unwantedModules.flatMap(([what, pattern]) =>
      bundle.modules.filter((name) => pattern.test(name)).map((name) => `holds ${what}: ${name}`),
    ),
    ...unwantedText.flatMap(([what, pattern]) => (pattern.test(bundle.text) ? `holds ${what}` : [])),
  ];
}
