import type { Policy, Role } from '../model/model.js';

/** A binding as the pool streams send it. Its user or group is part of the item's name, `user:role`. */
export type PoolBinding = { readonly role: string; readonly scope: Policy | null };

/** The content of each kind of item. Each kind has its own index. */
export interface PoolContent {
  readonly policies: Policy;
  readonly roles: Role;
  readonly bindings: PoolBinding;
  readonly groupBindings: PoolBinding;
}

/** A kind of pool item. */
export type PoolKind = keyof PoolContent;

/** A named item of the pool in the version that the write `index` made. A deletion has no `item`. */
export interface PoolItem<T = PoolContent[PoolKind]> {
  readonly name: string;
  /** Starts at 1 and grows by one with each write of its kind. */
  readonly index: number;
  readonly item: T | undefined;
}

export const poolKinds = ['policies', 'roles', 'bindings', 'groupBindings'] as const satisfies readonly PoolKind[];

/** The maximum number of items in one message. */
export const itemsInMessage = 128;

/** The full name of the gRPC service. */
export const poolService = 'service.AuthorizationPoolService';

/** The calls of a kind: `read` streams the current state and ends, `changes` streams every change after an index. */
export const poolMethods = {
  policies: { read: 'GetPolicy', changes: 'PoolPolicyChanges' },
  roles: { read: 'GetRole', changes: 'PoolRoleChanges' },
  bindings: { read: 'GetUserRoleBinding', changes: 'PoolUserRoleBindingChanges' },
  groupBindings: { read: 'GetGroupRoleBinding', changes: 'PoolGroupRoleBindingChanges' },
} as const satisfies Readonly<Record<PoolKind, Readonly<Record<'read' | 'changes', string>>>>;

/** The permission to follow the changes of a kind, on the resource `""`. */
export const poolPermissions = {
  policies: 'rbac:PoolPolicy',
  roles: 'rbac:PoolRole',
  bindings: 'rbac:PoolUserRoleBinding',
  groupBindings: 'rbac:PoolGroupRoleBinding',
} as const satisfies Readonly<Record<PoolKind, string>>;

/** The name of one of the eight calls. */
export type PoolMethod = (typeof poolMethods)[PoolKind]['read' | 'changes'];

/** One of the eight calls. */
export interface PoolCall {
  readonly kind: PoolKind;
  /** The index after which changes are streamed; undefined asks for the current state. */
  readonly changes?: {
    readonly start: number;
    /**
     * After this long without a change the service sends an empty message. Without it, the service sends one at every
     * poll.
     */
    readonly timeoutMs?: number | undefined;
  };
}

/** Transports the calls of the pool, over a network or in memory. */
export interface PoolTransport {
  /**
   * Opens a stream of messages, until `signal` aborts. The items of a message are immutable, can be iterated once, and
   * may be decoded during the iteration. An error has the gRPC code as its `code`; 12, UNIMPLEMENTED, for the kind
   * `groupBindings` says that the service binds no groups.
   * @param authorization the value of the `authorization` header, if any.
   */
  open(call: PoolCall, authorization: string | undefined, signal: AbortSignal): AsyncIterable<Iterable<PoolItem>>;
  /** Closes the connection, and with it every stream. */
  close(): void;
  /**
   * Identifies the connection of the open streams, to detect a reconnect. Without this method, all streams count as
   * using one connection.
   */
  connection?(): unknown;
}
