import type { ActionCatalog } from '../../index.js';
import { defineCatalog } from './define-catalog.js';

/** For actions on a user, key, path, policy or role, whose name is the resource; other actions have an empty one. */
const named = { resources: ['*'] };
const bare = { resources: [''] };

const definition = {
  name: 'the integration services',
  source: 'kube-arangodb after 1.4.4',
  actions: {
    'authentication:CreateToken': { ...named, description: 'Creates a token for a user.' },
    'meta:GetKey': { ...named, description: 'Reads a key of the metadata store.' },
    'meta:UpdateKey': { ...named, description: 'Writes a key of the metadata store.' },
    'meta:DeleteKey': { ...named, description: 'Deletes a key of the metadata store.' },
    'meta:ListKey': { ...named, description: 'Lists keys with a prefix.' },
    'storage:WriteObject': { ...named, description: 'Writes an object.' },
    'storage:ReadObject': { ...named, description: 'Reads an object.' },
    'storage:HeadObject': { ...named, description: 'Reads the metadata of an object.' },
    'storage:DeleteObject': { ...named, description: 'Deletes an object.' },
    'storage:ListObjects': { ...named, description: 'Lists objects with a prefix.' },
    'storage:Init': { ...bare, description: 'Prepares the storage.' },
    'rbac:ListPolicy': { ...bare, description: 'Lists the names of policies.' },
    'rbac:GetPolicy': { ...named, description: 'Reads a policy.' },
    'rbac:CreatePolicy': { ...named, description: 'Creates a policy.' },
    'rbac:UpdatePolicy': { ...named, description: 'Replaces a policy.' },
    'rbac:DeletePolicy': { ...named, description: 'Deletes a policy.' },
    'rbac:ListRole': { ...bare, description: 'Lists the names of roles.' },
    'rbac:GetRole': { ...named, description: 'Reads a role.' },
    'rbac:CreateRole': { ...named, description: 'Creates a role.' },
    'rbac:UpdateRole': { ...named, description: 'Replaces a role.' },
    'rbac:DeleteRole': { ...named, description: 'Deletes a role.' },
    'rbac:ListUserRoleBinding': { ...named, description: 'Lists the bindings of a user.' },
    'rbac:AssignUserRole': { ...named, description: 'Gives a user a role.' },
    'rbac:RemoveUserRole': { ...named, description: 'Takes a role from a user.' },
    'rbac:ReplaceUserRoleScope': { ...named, description: 'Replaces the scope of a binding.' },
    'rbac:ListGroupRoleBinding': { ...named, description: 'Lists the bindings of a group.' },
    'rbac:AssignGroupRole': { ...named, description: 'Gives a group a role.' },
    'rbac:RemoveGroupRole': { ...named, description: 'Takes a role from a group.' },
    'rbac:ReplaceGroupRoleScope': { ...named, description: "Replaces the scope of a group's binding." },
    'rbac:PoolPolicy': { ...bare, description: 'Streams the policies.' },
    'rbac:PoolRole': { ...bare, description: 'Streams the roles.' },
    'rbac:PoolUserRoleBinding': { ...bare, description: 'Streams the bindings.' },
    'rbac:PoolGroupRoleBinding': { ...bare, description: 'Streams the bindings of groups.' },
  },
} as const;

/** The actions of the integration services. */
export const integration: ActionCatalog<keyof (typeof definition)['actions']> =
  /* @__PURE__ */ defineCatalog(definition);
