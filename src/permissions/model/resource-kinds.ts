import { isObject } from '../../base/lib/values.js';
import type { Policy } from '../../policy/index.js';

// The custom resources of the operator: permission.arangodb.com/v1alpha1.

/** The group of the operator's custom resources. */
export const resourceGroup = 'permission.arangodb.com';
export const resourceVersion = `${resourceGroup}/v1alpha1`;

/** Refers to a custom resource by its name, or to an item of the service directly. */
export interface Reference {
  readonly name?: string | undefined;
  readonly direct?: string | undefined;
}

/** The fields of each kind that affect permissions. A resource belongs to a deployment in its own namespace. */
export interface ResourceSpecs {
  readonly ArangoPermissionPolicy: { readonly deployment: { readonly name: string }; readonly policy: Policy };
  readonly ArangoPermissionRole: { readonly deployment: { readonly name: string } };
  readonly ArangoPermissionPolicyRoleBinding: {
    readonly deployment: { readonly name: string };
    readonly policy: Reference;
    readonly role: Reference;
  };
  readonly ArangoPermissionRoleUserBinding: {
    readonly deployment: { readonly name: string };
    readonly role: Reference;
    readonly userName: string;
    readonly scope: Policy;
  };
  /** Of later operators, which bind roles to groups. */
  readonly ArangoPermissionRoleGroupBinding: {
    readonly deployment: { readonly name: string };
    readonly role: Reference;
    readonly groupName: string;
    readonly scope: Policy;
  };
  readonly ArangoPermissionToken: {
    readonly deployment: { readonly name: string };
    readonly policy?: Policy | undefined;
    readonly scope?: Policy | undefined;
    readonly roles?: readonly unknown[] | undefined;
  };
}

/** The kinds of custom resources of the operator. */
export type CustomResourceKind = keyof ResourceSpecs;

/** True for a Kubernetes document. A file of permissions has neither of these fields. */
export const isResource = (value: unknown): boolean =>
  isObject(value) && (Object.hasOwn(value, 'kind') || Object.hasOwn(value, 'apiVersion'));
