import type { Binding, Policy, Role } from './model.js';
import { predefined } from './predefined-names.js';

/** The predefined role that may do everything. Custom resources cannot bind it. */
export const superAdmin = `${predefined}super-admin`;

// The descriptions are ours: those of the platform are free text.
const descriptions = {
  'super-admin': 'May do everything.',
  'tenant-admin': 'Administers the deployment.',
  'coredb-reader': 'Reads data of the database.',
  'coredb-developer': 'Reads and writes data of the database.',
  'coredb-admin': 'Administers the database.',
  'ai-user': 'Uses the AI services.',
  'ai-developer': 'Develops with the AI services.',
  'platform-operator': 'Operates the platform.',
  'secret-admin': 'Administers secrets.',
} as const;

/** The roles of the platform. All but the first grant nothing until policies are attached to them. */
export const predefinedRoles: readonly string[] = Object.keys(descriptions).map((id) => predefined + id);

const everything: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };

/** The items of a new deployment, in the order in which the platform writes them; 1.4.4 holds none. */
export const freshDeployment: {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly bindings: readonly Binding[];
} = {
  policies: new Map([[superAdmin, { ...everything, description: descriptions['super-admin'] }]]),
  roles: new Map(
    Object.entries(descriptions).map(([id, description]) => {
      const name = predefined + id;
      return [name, { policies: name === superAdmin ? [name] : [], description }];
    }),
  ),
  bindings: [{ user: 'root', role: superAdmin, scope: everything }],
};
