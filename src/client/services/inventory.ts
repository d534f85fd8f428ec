import type { Reader } from '../../base/lib/readers.js';
import { readObject } from '../../base/lib/readers.js';

/** The modes of authentication and authorization, like `AuthenticationNative` and `AuthorizationRBAC`. */
export interface InventorySecurity {
  readonly authentication?: string;
  /** `AuthorizationRBAC` if policies decide. */
  readonly authorization?: string;
}

/** A deployment as its gateway describes it. Older platforms leave fields out, and later ones may add some. */
export interface Inventory {
  readonly configuration?: { readonly hash?: string };
  readonly arangodb?: {
    /** `Single`, `ActiveFailover` or `Cluster`. */
    readonly mode?: string;
    /** `Community` or `Enterprise`. */
    readonly edition?: string;
    readonly version?: string;
    readonly sharding?: string;
    readonly security?: InventorySecurity;
  };
  /** The routes of services behind the gateway, by name. */
  readonly networking?: {
    readonly routes?: Readonly<Record<string, { readonly path?: { readonly path?: string } }>>;
  };
  /** The platform's own services, by name. */
  readonly platform?: {
    readonly services?: Readonly<Record<string, { readonly version?: string; readonly ready?: boolean }>>;
  };
  readonly profiles?: Readonly<Record<string, unknown>>;
  readonly connectors?: Readonly<Record<string, unknown>>;
  readonly security?: InventorySecurity;
}

// The fields are not validated: this package decides nothing by them, and each may be missing.
export const readInventory = readObject as Reader<Inventory>;
