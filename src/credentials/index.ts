import { basic } from './basic.js';
import { bearer } from './bearer.js';

/** The ways to have credentials; each gives what `createClient({ credentials })` takes. */
export const credentials = { basic, bearer } as const;
