import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export interface PageFile {
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** The page's files by name. No other file is served, whatever path is requested. */
const types: ReadonlyMap<string, string> = new Map([
  ['index.html', 'text/html; charset=utf-8'],
  ['console.js', 'text/javascript; charset=utf-8'],
  ['log.js', 'text/javascript; charset=utf-8'],
  ['console.css', 'text/css; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
  ['LICENSES.txt', 'text/plain; charset=utf-8'],
]);

/** Finds the folder of the built page in the package, also from a bundled module. */
function findFolder(): URL {
  for (let at = new URL('.', import.meta.url); ; at = new URL('..', at)) {
    const folder = new URL('dist/console/page/', at);
    if (existsSync(fileURLToPath(new URL('index.html', folder)))) return folder;
    if (at.pathname === '/' || new URL('..', at).href === at.href) {
      throw new Error('the files of the console are not there: it cannot be bundled, and needs the whole package');
    }
  }
}

/** Serves the page's files, and reads each once, on its first request. */
export function createPageFiles(): (name: string) => Promise<PageFile | undefined> {
  const read = new Map<string, Promise<PageFile>>();
  return async (name) => {
    const type = types.get(name);
    if (type === undefined) return undefined;
    let file = read.get(name);
    if (file === undefined) {
      file = readFile(new URL(name, findFolder())).then((bytes) => ({ type, content: new Uint8Array(bytes) }));
      read.set(name, file);
      file.catch(() => read.delete(name));
    }
    return file;
  };
}
