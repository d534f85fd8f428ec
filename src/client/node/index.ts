export { type Environment, fromEnv, type Modes } from './env.js';
export { type SuperuserOptions, superuser } from './superuser.js';
export { tokenFile } from './token-file.js';
export { nodeTransport } from './transport/index.js';
export type { NodeTransportOptions, Pem, TlsOptions } from './transport/transport-options.js';
