import { join } from 'node:path';
import { root } from './exec.ts';

/** The folder of the site that `npm run site -- --check` builds and drives. */
export const siteFolder = join(root, 'reports/site');
/** Its base: the pages of a project on GitHub have one. */
export const siteBase = '/arango-services/';
