import { minifySync } from 'rolldown/utils';

const options = {
  module: true,
  compress: false,
  mangle: { toplevel: false, keepNames: true },
  codegen: { removeWhitespace: true },
} as const;

/**
 * A built file without white space and with short names for locals, so that the guides fit into the tarball. Each
 * module of it stays on a line of its own below the name of its source; names of functions, classes and everything at
 * the top level stay, as stack traces and debuggers show them.
 */
export function compact(code: string): string {
  // Names of the exports may stand in any of the modules.
  const exports = /^export \{[^}]*\};\s*$/m.exec(code)?.[0] ?? '';
  const [imports = '', ...modules] = code.slice(0, code.length - exports.length).split(/^(?=\/\/ src\/)/m);
  const lines = modules.map((module) => {
    const [source = ''] = module.split('\n', 1);
    const { code: short, errors } = minifySync(source.slice(3), module, options);
    if (errors.length > 0) throw new Error(`${source.slice(3)}: ${errors[0]?.message}`);
    return `${source}\n${short.trimEnd()}\n`;
  });
  return imports + lines.join('') + exports;
}
