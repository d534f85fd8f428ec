import { minifySync } from 'rolldown/utils';
import { markOf } from './source-marks.ts';

const names = { function: true, class: true };
const options = {
  module: true,
  // With sequences, Node takes 1.3 times as long for a decision of the policy engine.
  compress: { target: 'es2023', keepNames: names, sequences: false },
  mangle: { toplevel: true, keepNames: names },
  codegen: { removeWhitespace: true, legalComments: 'inline' },
} as const;

/**
 * A built file without white space and with short names, so that the guides fit into the tarball. Each module of it
 * begins on a line of its own below the name of its source; functions and classes keep their names, as stack traces
 * and debuggers show them.
 */
export function compact(code: string): string {
  // The names of the sources stay as comments of a licence do, shortened.
  const { code: short, errors } = minifySync('built.js', code.replace(/^\/\/ (?=src\/)/gm, '//! '), options);
  if (errors.length > 0) throw new Error(errors[0]?.message);
  return short.replaceAll(/^\/\/! (src\/\S+)\.js$/gm, (_, source: string) => `//${markOf(source)}`);
}
