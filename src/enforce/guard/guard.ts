import type { Access, ManyAccess } from './access.js';
import type { GuardQuestion } from './guard-question.js';
import type { GuardedRequest } from './guarded-request.js';
import type { ShadowCounts } from './shadow.js';

/** Identifies the caller of a service and decides on permissions. Created by `createGuard`. */
export interface Guard<Action extends string = string, Resource extends string = string> {
  /**
   * Decides if the sender of a request may do `action` on `resource`. (POST evaluate-token)
   * @param request a `Request`, an `IncomingMessage`, `Headers`, or a record of headers
   * @param question the action and the resource
   * @returns `allowed`, else a `response` for the caller: 401, 403, or 503 if no decision could be made. It never
   * rejects because of the caller's input or a failed service.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) as a rejection, for an invalid question: an empty action, an
   * unknown field, a context that JSON cannot represent without loss or that is nested deeper than 1 000 levels,
   * `atLeast` without a replica.
   * @example
   * ```ts
   * import { createClient } from 'arango-services';
   * import { createGuard } from 'arango-services/guard';
   *
   * const guard = createGuard(createClient({ url: 'http://localhost:8529' }), { realm: 'orders' });
   * export async function serve(request: Request): Promise<Response> {
   *   const access = await guard.check(request, { action: 'orders:read', resource: 'order:7' });
   *   if (!access.allowed) return access.response;
   *   return Response.json({ id: 7 });
   * }
   * ```
   */
  check(request: GuardedRequest, question: GuardQuestion<Action, Resource>): Promise<Access>;
  /**
   * Decides on many questions, like those of a list or a page, in one request to the service. (POST
   * evaluate-token-many)
   * @param items at most 10 000 questions
   * @returns the decisions as `items`, in the order of the questions, or a `response` if the check failed as a whole.
   * `refused()` returns a 403, for a service that refuses the request because of one denied item.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) as a rejection, for an invalid question.
   */
  checkMany<const A extends Action, const R extends Resource>(
    request: GuardedRequest,
    items: readonly GuardQuestion<A, R>[],
  ): Promise<ManyAccess<A, R>>;
  /**
   * Identifies the sender of a request without a permission check; `allowed` means that the token is valid. (POST
   * validate, or the option `authenticate`)
   * @returns `allowed` with user and groups, else a `response` for the caller: 401, 403 for a forged cookie, or 503.
   */
  authenticate(request: GuardedRequest): Promise<Access>;
  /**
   * Resolves when decisions can be made, for a probe of readiness: the services answer a question about a token that is
   * not valid, a replica is ready, a verifier has its keys. The shadow need not be ready.
   * @param options `timeout` in milliseconds; default the guard's own.
   * @throws the failure of what is not ready, TimeoutError (code `TIMEOUT`) included.
   */
  ready(options?: { readonly timeout?: number | undefined }): Promise<void>;
  /** Counts the questions to the option `shadow` so far, by outcome; undefined without a shadow. */
  readonly shadow?: ShadowCounts | undefined;
  /**
   * Resolves when no question to the shadow is open, at most `shadowTimeoutMs` later, and the hooks were told: call it
   * before a decision log is closed.
   */
  flush(): Promise<void>;
}
