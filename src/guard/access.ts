import type { Answer } from './answers.js';

/** The caller may. */
export interface Granted {
  readonly allowed: true;
  readonly status: 200;
  /** The caller's token, to call other services on behalf of the caller: `credentials.bearer(access.token)`. */
  readonly token: string;
  /** Who it was, where the guard was asked to know (`identify`, or `authenticate`). Undefined for a superuser's token. */
  readonly user?: string | undefined;
  /** The groups of the token, where the guard was asked to know. */
  readonly groups?: readonly string[] | undefined;
  readonly response?: undefined;
}

/** The caller may not, is not known, or nobody could decide. */
export interface Refused extends Answer {
  readonly allowed: false;
  /** 401 (who calls is not known), 403 (a Deny) or 503 (nobody could decide). */
  readonly status: 401 | 403 | 503;
  /** The answer for a framework of the Fetch standard; the others take `status`, `headers` and `body`. */
  readonly response: Response;
  readonly token?: undefined;
  readonly user?: undefined;
  readonly groups?: undefined;
}

/** What `guard.check` answers. */
export type Access = Granted | Refused;

/** The decision about one of many items. */
export interface ItemAccess<Action extends string = string, Resource extends string = string> {
  readonly action: Action;
  readonly resource: Resource;
  readonly allowed: boolean;
}

/** What `guard.checkMany` answers where the caller is known: each item by itself. */
export interface ManyGranted<Action extends string = string, Resource extends string = string>
  extends Omit<Granted, 'allowed'> {
  /** Whether every item is allowed, and there is one. */
  readonly allowed: boolean;
  readonly items: readonly ItemAccess<Action, Resource>[];
}

/** What `guard.checkMany` answers. There is a `response` only where the whole failed. */
export type ManyAccess<Action extends string = string, Resource extends string = string> =
  | ManyGranted<Action, Resource>
  | (Refused & { readonly items?: undefined });
