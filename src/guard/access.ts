import { type Answer, type AnswerOf, asResponse } from './answers.js';

/** The caller may. */
export interface Granted {
  readonly allowed: true;
  readonly status: 200;
  /**
   * The caller's token, to call other services on behalf of the caller: `credentials.bearer(access.token)`. Logs do not
   * show it: `inspect`, `JSON.stringify` and spread leave it out.
   */
  readonly token: string;
  /**
   * Who it was, where the guard was asked to know (`identify`, or `authenticate`). Undefined for a superuser's token.
   */
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
  /**
   * The answer for frameworks of the Fetch standard, a new one each time; the others take `status`, `headers` and
   * `body`.
   */
  readonly response: Response;
  /** Why nobody could decide: the error of the call that failed, for this service's own log. Not enumerable. */
  readonly cause?: unknown;
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
  /** Whether the caller may do it. */
  readonly allowed: boolean;
}

/** What `guard.checkMany` answers where the caller is known: each item by itself. */
export interface ManyGranted<Action extends string = string, Resource extends string = string>
  extends Omit<Granted, 'allowed'> {
  /** Whether every item is allowed, and there is one. */
  readonly allowed: boolean;
  readonly items: readonly ItemAccess<Action, Resource>[];
}

/** What `guard.checkMany` answers: the `items`, or a `response` where the whole failed. */
export type ManyAccess<Action extends string = string, Resource extends string = string> =
  | ManyGranted<Action, Resource>
  | (Refused & { readonly items?: undefined });

const hide = <T extends object, Name extends string>(object: T, name: Name, value: unknown): T =>
  Object.defineProperty(object, name, { value });

/** Adds the token to an access, as a field that is not enumerable. */
export const addToken = <T extends object>(access: T, token: string): T & { readonly token: string } =>
  // The cast: the line itself adds it.
  hide(access, 'token', token) as T & { readonly token: string };

/** Makes the access of a refused caller. `cause` is for this service alone: the answer does not tell it. */
export function toRefused(given: AnswerOf<401 | 403 | 503>, method: string | undefined, cause?: unknown): Refused {
  const refused: Refused = {
    ...given,
    allowed: false,
    get response() {
      return asResponse(given, method);
    },
  };
  return cause === undefined ? refused : hide(refused, 'cause', cause);
}
