import { basic } from './basic.js';
import { bearer } from './bearer.js';
import { login } from './login.js';
import { minted } from './minted.js';

/** The ways to have credentials; each gives what `createClient({ credentials })` takes. `arango-services/node` has `tokenFile`. */
export const credentials = { basic, bearer, login, minted } as const;
