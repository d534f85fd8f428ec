import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The version of this package, from its package.json. */
export function readVersion(): string {
  const file = fileURLToPath(import.meta.resolve('arango-services/package.json'));
  // The cast: the file is part of the package.
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
  return version;
}
