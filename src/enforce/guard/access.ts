import { type AnswerOf, asResponse, type PlainResponse } from './answers.js';

/** Access was granted. */
export interface Granted {
  readonly allowed: true;
  readonly status: 200;
  /**
   * The caller's token, to call other services on behalf of the caller: `credentials.bearer(access.token)`. It is
   * not enumerable, so `inspect`, `JSON.stringify` and spread omit it.
   */
  readonly token: string;
  /**
   * The caller's user name. Set by `authenticate`, and by the checks of a guard with a `Decider` or with `identify`.
   * Undefined for a superuser's token.
   */
  readonly user?: string | undefined;
  /** The groups of the token, set when `user` is. Each access has its own copy. */
  readonly groups?: readonly string[] | undefined;
  readonly response?: undefined;
}

/** Access was refused: it is denied, the caller is unknown, or no decision could be made. */
export interface Refused extends PlainResponse {
  readonly allowed: false;
  /** 401 (unknown caller), 403 (denied) or 503 (no decision). */
  readonly status: 401 | 403 | 503;
  /**
   * The response for frameworks that use the Fetch API, a new one on each read; other frameworks take `status`,
   * `headers` and `body`.
   */
  readonly response: Response;
  /**
   * The error of the failed call, for this service's own log; for a 401, why the result of the option `authenticate`
   * does not identify a caller. Not enumerable.
   */
  readonly cause?: unknown;
  readonly token?: undefined;
  readonly user?: undefined;
  readonly groups?: undefined;
}

/** The result of `guard.check`. */
export type Access = Granted | Refused;

/** The decision about one of many items. */
export interface ItemAccess<Action extends string = string, Resource extends string = string> {
  readonly action: Action;
  readonly resource: Resource;
  /** True if the caller may take the action on the resource. */
  readonly allowed: boolean;
}

/** The result of `guard.checkMany` if the caller is known: a decision for each item. */
export interface ManyGranted<Action extends string = string, Resource extends string = string>
  extends Omit<Granted, 'allowed'> {
  /** True if every item is allowed and the list is not empty. */
  readonly allowed: boolean;
  readonly items: readonly ItemAccess<Action, Resource>[];
  /** Returns a 403, for a service that refuses the whole request because of one denied item. */
  refused(): Refused;
}

/** The result of `guard.checkMany` if the caller is unknown or no decision could be made. */
export interface ManyRefused extends Refused {
  readonly items?: undefined;
  /** Returns this refusal, so that `if (!access.allowed) return access.refused().response` covers both kinds. */
  refused(): Refused;
}

/** The result of `guard.checkMany`: the `items`, or a `response` if the check failed as a whole. */
export type ManyAccess<Action extends string = string, Resource extends string = string> =
  | ManyGranted<Action, Resource>
  | ManyRefused;

const hide = <T extends object, Name extends string>(object: T, name: Name, value: unknown): T =>
  Object.defineProperty(object, name, { value });

/** Adds the token as a non-enumerable field. */
export const addToken = <T extends object>(access: T, token: string): T & { readonly token: string } =>
  // The cast: `hide` adds the field.
  hide(access, 'token', token) as T & { readonly token: string };

/** Adds `refused` as a non-enumerable method, so that logs and copies hold only data. */
export const addRefused = <T extends object>(access: T, refused: () => Refused): T & { refused(): Refused } =>
  // The cast: `hide` adds the field.
  hide(access, 'refused', refused) as T & { refused(): Refused };

/** Creates a refusal. `cause` is for this service only and is not part of the response. */
export function toRefused(answer: AnswerOf<401 | 403 | 503>, method: string | undefined, cause?: unknown): Refused {
  const refused: Refused = {
    ...answer,
    allowed: false,
    get response() {
      return asResponse(answer, method);
    },
  };
  return cause === undefined ? refused : hide(refused, 'cause', cause);
}
