// The actions that the platform asks about, as data, and typed builders of statements.
import { database } from './database-actions.js';
import { integration } from './integration-actions.js';

/**
 * The actions of the platform: `catalog.database` has those of the database core, `catalog.integration` those of the
 * integration services. Both are for `lint` and `statement`.
 */
export const catalog: { readonly database: typeof database; readonly integration: typeof integration } = {
  database,
  integration,
};
