import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { siteBase, siteFolder } from '../../../scripts/lib/tested-site.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** The file that a host of static files returns for a path of the site. */
function findFile(path: string): string | undefined {
  if (!path.startsWith(siteBase)) return undefined;
  const place = join(siteFolder, path.slice(siteBase.length));
  return [place, `${place}.html`, join(place, 'index.html')].find(
    (file) => existsSync(file) && statSync(file).isFile(),
  );
}

/** The site on a port, as a host of static files serves it. */
export interface ServedSite {
  /** With the base at its end. */
  readonly url: string;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Serves the built site on 127.0.0.1, compressed. Throws if it has not been built. */
export async function serveSite(): Promise<ServedSite> {
  const missing = join(siteFolder, '404.html');
  if (!existsSync(missing)) throw new Error(`${siteFolder} has no site: npm run site -- --check builds it`);
  const server = createServer((request, response) => {
    const file = findFile(decodeURI(new URL(request.url ?? '', 'http://localhost').pathname));
    const type = types[extname(file ?? missing)] ?? 'application/octet-stream';
    const headers = { 'content-type': type, 'content-encoding': 'gzip' };
    response
      .writeHead(file === undefined ? 404 : 200, headers)
      .end(gzipSync(readFileSync(file ?? missing), { level: 1 }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // The cast: a server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}${siteBase}`, [Symbol.asyncDispose]: close };
}
