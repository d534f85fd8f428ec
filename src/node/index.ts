export { type Environment, fromEnv, type Modes } from './env.js';
export { tokenFile } from './token-file.js';
