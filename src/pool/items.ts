import type { Policy, Role } from '../policy/model.js';

/** A binding as the pool streams have it; its user stands in the name of the item, `user:role`. */
export interface PoolBinding {
  readonly role: string;
  readonly scope: Policy | null;
}

/** What the pool holds, by kind. Each kind has an index of its own. */
export interface PoolContent {
  readonly policies: Policy;
  readonly roles: Role;
  readonly bindings: PoolBinding;
}

/** A kind of what the pool holds. */
export type PoolKind = keyof PoolContent;

/** Something that the pool holds under a name since the write with this index. Without an item it was deleted. */
export interface PoolItem<T = PoolContent[PoolKind]> {
  readonly name: string;
  /** Starts at 1 and grows by one with each write of its kind. */
  readonly index: number;
  readonly item: T | undefined;
}

/** The three kinds. */
export const poolKinds = ['policies', 'roles', 'bindings'] as const satisfies readonly PoolKind[];

/** How many items a message holds at the most. */
export const itemsInMessage = 128;

/** The full name of the gRPC service. */
export const poolService = 'service.AuthorizationPoolService';

/** The calls of a kind: `read` streams the current state and ends, `changes` streams what changes after an index. */
export const poolMethods = {
  policies: { read: 'GetPolicy', changes: 'PoolPolicyChanges' },
  roles: { read: 'GetRole', changes: 'PoolRoleChanges' },
  bindings: { read: 'GetUserRoleBinding', changes: 'PoolUserRoleBindingChanges' },
} as const satisfies Readonly<Record<PoolKind, Readonly<Record<'read' | 'changes', string>>>>;

/** The name of one of the six calls. */
export type PoolMethod = (typeof poolMethods)[PoolKind]['read' | 'changes'];

/** One of the six calls. */
export interface PoolCall {
  readonly kind: PoolKind;
  /** Undefined: the current state. Else the changes after the index `start`. */
  readonly changes?: {
    readonly start: number;
    /**
     * An empty message comes after so much time without a change. Without it one comes at every look of the service.
     */
    readonly timeoutMs?: number | undefined;
  };
}

/** What carries the calls of the pool, a network or not. */
export interface PoolTransport {
  /**
   * Opens a stream of messages, each some items that never change, until `signal` aborts. The items of a message are
   * taken once, one after the other, and may be decoded as they are taken. A failure has the gRPC code as its `code`.
   * @param authorization the value of the `authorization` header, if there is one.
   */
  open(call: PoolCall, authorization: string | undefined, signal: AbortSignal): AsyncIterable<Iterable<PoolItem>>;
  /** Closes the connection, and with it every stream. */
  close(): void;
}
