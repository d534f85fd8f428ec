// The modules of undici in use; the main module would also load all of fetch, its own and Node's.
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}
declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}
declare module 'undici/lib/core/util.js' {
  const util: { parseHeaders(raw: readonly Buffer[]): Record<string, string | string[]> };
  export default util;
}
