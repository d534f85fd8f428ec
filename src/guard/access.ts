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
   * The caller's name. A guard over a `Decider` always knows it, one over a client with `identify` and in
   * `authenticate`. Undefined for a superuser's token.
   */
  readonly user?: string | undefined;
  /** The groups of the token, known as the user is. Each access has a list of its own. */
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
  /**
   * The error of the call that failed, for this service's own log; of a 401 the reason why the answer of the option
   * `authenticate` names no caller. Not enumerable.
   */
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

/** The access of `guard.checkMany` if the caller is known: each item by itself. */
export interface ManyGranted<Action extends string = string, Resource extends string = string>
  extends Omit<Granted, 'allowed'> {
  /** True if every item is allowed, and there is one. */
  readonly allowed: boolean;
  readonly items: readonly ItemAccess<Action, Resource>[];
  /** Gives the 403 of this request, for a service that refuses it as a whole because of one denied item. */
  refused(): Refused;
}

/** The access of `guard.checkMany` if the whole failed: the caller is not known, or no decision could be made. */
export interface ManyRefused extends Refused {
  readonly items?: undefined;
  /** Gives this refusal, so that `if (!access.allowed) return access.refused().response` covers both kinds. */
  refused(): Refused;
}

/** The answer of `guard.checkMany`: the `items`, or a `response` if the whole failed. */
export type ManyAccess<Action extends string = string, Resource extends string = string> =
  | ManyGranted<Action, Resource>
  | ManyRefused;

const hide = <T extends object, Name extends string>(object: T, name: Name, value: unknown): T =>
  Object.defineProperty(object, name, { value });

/** Adds the token to an access, as a field that is not enumerable. */
export const addToken = <T extends object>(access: T, token: string): T & { readonly token: string } =>
  // The cast: the line itself adds it.
  hide(access, 'token', token) as T & { readonly token: string };

/** Adds `refused` to an access, as a field that is not enumerable: logs and copies show the fields alone. */
export const addRefused = <T extends object>(access: T, refused: () => Refused): T & { refused(): Refused } =>
  // The cast: the line itself adds it.
  hide(access, 'refused', refused) as T & { refused(): Refused };

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
