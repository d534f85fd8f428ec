// The actions that the platform asks about, as data, and typed builders of statements.
import { database } from './database-actions.js';
import { integration } from './integration-actions.js';
import { type RoleSets, roleSets } from './role-sets.js';

/**
 * The actions of the platform: `catalog.database` has those of the database core, `catalog.integration` those of the
 * integration services. Both are for `lint` and `statement`. `catalog.roleSets` has policies of roles of the core:
 * `reader`, `developer` and `admin`, whose bindings need a scope as `scopeOf` gives it.
 */
export const catalog: {
  readonly database: typeof database;
  readonly integration: typeof integration;
  readonly roleSets: RoleSets;
} = { database, integration, roleSets };
