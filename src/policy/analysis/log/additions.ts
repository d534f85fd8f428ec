import type { Policy, Statement } from '../../index.js';
import type { Wish } from './wishes.js';

type Patterns = Pick<Statement, 'actions' | 'resources'>;

/** A wish, and the statement that grants it: the wish itself, or one of the state that is repeated whole. */
export type Grant = { readonly wish: Wish; readonly whole?: Patterns | undefined };

/** A binding whose scope grants wishes. */
export interface ScopeGrants {
  readonly user: string;
  readonly role: string;
  /** The scope before; undefined for a new binding. */
  readonly scope: Policy | undefined;
  readonly grants: Grant[];
}

/** Everything that is added to a state. */
export interface Additions {
  readonly policies: Map<string, Grant[]>;
  /** New roles, with the names of their policies. */
  readonly roles: Map<string, readonly string[]>;
  readonly scopes: Map<string, ScopeGrants>;
  /** New bindings to new roles. Their scope is everywhere. */
  readonly bindings: { readonly user: string; readonly role: string }[];
}
