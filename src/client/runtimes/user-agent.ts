/** The `User-Agent` of transports that can send one, in Node, Bun and Deno. The version is package.json's. */
export function userAgent(): string {
  const { bun, deno, node } = process.versions;
  const runtime = bun ? `bun/${bun}` : deno ? `deno/${deno}` : `node/${node}`;
  return `arango-services/1.0.0-rc.1 ${runtime}`;
}
