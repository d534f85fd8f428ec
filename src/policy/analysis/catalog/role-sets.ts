import type { Policy } from '../../index.js';

/** The policies of the database core's roles, and where they are from. */
export interface RoleSets {
  /** The version from which the role sets were taken. */
  readonly source: string;
  /** Reads everything. */
  readonly reader: Policy;
  /** In addition to `reader`, writes data and metadata. */
  readonly developer: Policy;
  /** In addition to `developer`, creates and drops. Lacks the `db:Admin*` actions, which need a statement on `*`. */
  readonly admin: Policy;
}

const resources = ['db:database:*', 'db:collection:*:*', 'db:view:*:*', 'db:analyzer:*:*', 'db:graph:*:*'];

/** Creates the policy of a role, with `db:UseApiVersion`, which the core asks for before each request. */
const roleOf = (...actions: readonly string[]): Policy => ({
  statements: [
    { effect: 'Allow', actions: ['db:UseApiVersion'], resources: ['*'] },
    { effect: 'Allow', actions, resources },
  ],
});

/** The role sets that ArangoDB tests its core with. */
export const roleSets: RoleSets = {
  source: 'arangodb/arangodb, tests/api/rbac/rta, 4a27280e',
  reader: /* @__PURE__ */ roleOf('db:Read'),
  developer: /* @__PURE__ */ roleOf('db:Read', 'db:WriteData', 'db:WriteMeta'),
  admin: /* @__PURE__ */ roleOf('db:Read', 'db:WriteData', 'db:WriteMeta', 'db:Create', 'db:Drop'),
};
