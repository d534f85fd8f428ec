/** The `User-Agent` of transports that can send one, in Node, Bun and Deno. The version is package.json's. */
export const userAgent = 'arango-services/0.1.0';
