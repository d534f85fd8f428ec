import type { CallSender } from '../../connection/call.js';
import { PermissionDeniedError } from '../../errors.js';
import { type Reader, readFields } from '../../lib/readers.js';
import type { Decider, LocalDecider, UserSubject } from '../../policy/decider.js';
import type { Decision, EvaluationItem, ManyDecisions, Policy, Role } from '../../policy/model.js';
import { readDecisionText } from '../decision-text.js';
import { readCallOptions, Service, type ServiceCallOptions } from '../service-client.js';
import { Batch } from './batch.js';
import { Bindings } from './bindings.js';
import { Collection } from './management.js';
import {
  decision,
  decisions,
  type EvaluateManyRequest,
  type EvaluateRequest,
  readEvaluation,
  readEvaluations,
  readItem,
  type WireSubject,
} from './messages.js';

/** What an {@link AuthorizationClient} takes beside its connection. */
export interface AuthorizationOptions {
  /** Sends the `evaluate` calls of one tick for the same subject as one request. Default false. */
  readonly batch?: boolean | undefined;
  /**
   * Decides for users in this process while it is live: a replica, or any other decider. Tokens go to the service.
   * Default none.
   */
  readonly replica?: LocalDecider | undefined;
  /**
   * What happens to a question while the replica is not live: the service decides (`remote`, the default), or the
   * replica from what it has (`serve`), or the call rejects with ReplicaError, code `REPLICA` (`refuse`).
   */
  readonly whenNotLive?: 'remote' | 'serve' | 'refuse' | undefined;
}

// More items in one request are refused by the services.
const mostItems = 1_000;

/**
 * Authorization V1 of the integration services, and the management of policies, roles and bindings:
 * `client.authorization`.
 *
 * Every call rejects with `InvalidArgumentError` (nothing was sent), `HttpError`, `NetworkError`, `TimeoutError`,
 * `AbortError`, `SchemaError`, `ParseError`, `RedirectError` or `CredentialsError`. A call that fails is never a
 * decision, and only status 200 with JSON of at most 1 MiB is one.
 */
export class AuthorizationClient {
  /** The policies, by name. */
  readonly policies: Collection<Policy>;
  /** The roles, by name. */
  readonly roles: Collection<Role>;
  /** Which users have which roles. */
  readonly bindings: Bindings;
  readonly #service: Service;
  readonly #management: Service;
  readonly #batch: Batch | undefined;
  readonly #local: (subject: WireSubject, options: ServiceCallOptions | undefined) => Decider | undefined;

  /**
   * Makes a client over a connection; `client.authorization` is the shorter way.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for what is no connection.
   */
  constructor(connection: CallSender, { batch = false, replica, whenNotLive }: AuthorizationOptions = {}) {
    this.#local = ({ user }, options) => {
      // Who has cancelled already is told so by the call over the network.
      if (replica === undefined || user === undefined || options?.signal?.aborted) return undefined;
      if (replica.live !== false || whenNotLive === 'serve') return replica;
      if (whenNotLive === 'refuse') replica.assertLive?.();
      return undefined;
    };
    this.#service = new Service(connection, 'integration', 'authorization/v1');
    this.#management = new Service(connection, 'management', 'permissions');
    this.policies = Collection.policies(connection);
    this.roles = Collection.roles(connection);
    this.bindings = new Bindings(connection);
    if (batch) {
      this.#batch = new Batch(async (subject, items, options) => {
        const [only] = items;
        if (only !== undefined && items.length === 1) return [await this.#one(subject, only, options)];
        return (await this.#many(subject, items, options)).items;
      });
    }
  }

  /**
   * Asks whether a subject may do `action` on `resource`.
   * (POST `/_integration/authorization/v1/evaluate`, for a token and for `self` `evaluate-token`)
   *
   * The subject `{ self: true }` is the bearer token that this client's credentials give, which is asked for if there
   * is none yet. Where the service says that it is not valid, it is renewed once, as after a 401.
   *
   * @throws HttpError (code `HTTP`, status 400) for a token that is not valid. InvalidArgumentError, field `self`, for
   * `self` without credentials and with basic ones.
   * @example
   * ```ts
   * const decision = await client.authorization.evaluate({
   *   user: 'alice',
   *   roles: ['viewer'],
   *   action: 'orders:read',
   *   resource: 'orders:17',
   * });
   * if (!decision.allowed) console.log(decision.message); // Permission denied
   * ```
   */
  async evaluate(request: EvaluateRequest, options?: ServiceCallOptions): Promise<Decision> {
    return (await this.#decide(request, options)).decision;
  }

  /**
   * Asks the same for many items at once. More than 1000 items go in several requests.
   * (POST `/_integration/authorization/v1/evaluate-many`, for a token and for `self` `evaluate-token-many`)
   *
   * @returns the decisions in the order of the items, and their sum: an Allow only where every item is allowed.
   * @example
   * ```ts
   * const { items } = await client.authorization.evaluateMany({
   *   token,
   *   items: [
   *     { action: 'orders:read', resource: 'orders:17' },
   *     { action: 'orders:write', resource: 'orders:17' },
   *   ],
   * });
   * const [read, write] = items.map(({ allowed }) => allowed);
   *
   * // Which buttons of a page whoever uses it may press.
   * const buttons = ['orders:write', 'orders:delete'].map((action) => ({ action, resource: 'orders' }));
   * const page = await client.authorization.evaluateMany({ self: true, items: buttons });
   * console.log(buttons.filter((_, index) => page.items[index]?.allowed));
   * ```
   */
  async evaluateMany(request: EvaluateManyRequest, options?: ServiceCallOptions): Promise<ManyDecisions> {
    const { subject, asked } = this.#service.prepare('POST', '/evaluate-many', () =>
      readFields(request, 'request', readEvaluations),
    );
    const local = this.#local(subject, options);
    // The cast: only a user is decided for here.
    if (local !== undefined)
      return local.evaluateMany({ ...subject, ...asked } as UserSubject & { items: EvaluationItem[] });
    return this.#many(subject, asked.items, options);
  }

  /**
   * Does what {@link AuthorizationClient.evaluate} does, and gives the decision alone.
   *
   * @returns true only where the service said Allow. A call that fails rejects.
   * @example
   * ```ts
   * if (await client.authorization.isAllowed({ token, action: 'orders:write', resource: 'orders' })) {
   *   await orders.post({ item: 'book' });
   * }
   * ```
   */
  async isAllowed(request: EvaluateRequest, options?: ServiceCallOptions): Promise<boolean> {
    return (await this.#decide(request, options)).decision.allowed;
  }

  /**
   * Does what {@link AuthorizationClient.evaluate} does, and rejects unless the service said Allow.
   *
   * @throws PermissionDeniedError (code `PERMISSION_DENIED`), which names action and resource.
   * @example
   * ```ts
   * await client.authorization.assertAllowed({ user: 'alice', action: 'orders:read', resource: 'orders' });
   * ```
   */
  async assertAllowed(request: EvaluateRequest, options?: ServiceCallOptions): Promise<void> {
    const { decision, item } = await this.#decide(request, options);
    if (!decision.allowed) throw new PermissionDeniedError(item.action, item.resource);
  }

  /**
   * Asks whether the token of this client's own credentials may do `action` on `resource`. (POST
   * `/_management/permissions/validate`)
   */
  checkSelf(request: EvaluationItem, options?: ServiceCallOptions): Promise<Decision> {
    return this.#management.ask('POST', '/validate', decision, options, () => ({
      body: readFields(request, 'request', readItem),
      readOnly: true,
      readText: readDecisionText,
    }));
  }

  /** Has the service read its policies, roles and bindings again. (POST `/_management/permissions/refresh`) */
  async refresh(options?: ServiceCallOptions): Promise<void> {
    await this.#management.ask('POST', '/refresh', undefined, options);
  }

  async #decide(request: unknown, options: unknown): Promise<{ decision: Decision; item: EvaluationItem }> {
    const path = '/evaluate';
    const { subject, asked, call } = this.#service.prepare('POST', path, () => ({
      ...readFields(request, 'request', readEvaluation),
      call: readCallOptions(options),
    }));
    // The cast: an item is what it was read as.
    const item = asked as EvaluationItem;
    const local = this.#local(subject, call);
    if (local !== undefined) {
      return { decision: await local.evaluate({ ...subject, ...item } as UserSubject & EvaluationItem), item };
    }
    // What a function gives may differ from call to call.
    const batch = typeof call.headers === 'function' ? undefined : this.#batch;
    const decision =
      batch?.evaluate(subject, item, call, this.#service.nameOf('POST', path)) ?? this.#one(subject, item, call);
    return { decision: await decision, item };
  }

  #one(subject: WireSubject, item: EvaluationItem, options: unknown): Promise<Decision> {
    return this.#ask('', subject, item, decision, options);
  }

  async #many(subject: WireSubject, items: readonly EvaluationItem[], options: unknown): Promise<ManyDecisions> {
    const parts: (readonly EvaluationItem[])[] = [];
    for (let start = 0; start === 0 || start < items.length; start += mostItems) {
      parts.push(items.slice(start, start + mostItems));
    }
    const answers = await Promise.all(
      parts.map((part) => this.#ask('-many', subject, { items: part }, decisions(part.length), options)),
    );
    const all = answers.flatMap((answer) => answer.items);
    // A sum that contradicts its items is a Deny.
    const allowed = all.length > 0 && [...answers, ...all].every((decision) => decision.allowed);
    const { message = '' } = answers.find((answer) => answer.allowed === allowed) ?? {};
    return { effect: allowed ? 'Allow' : 'Deny', allowed, message, items: all };
  }

  #ask<T>(kind: '' | '-many', subject: WireSubject, asked: object, answer: Reader<T>, options: unknown): Promise<T> {
    const { self: sendsOwnToken = false, ...named } = subject;
    const { token } = named;
    const isByToken = sendsOwnToken || token !== undefined;
    return this.#service.ask('POST', '/evaluate', answer, options, () => ({
      path: (isByToken ? '-token' : '') + kind,
      body: { ...named, ...asked },
      readOnly: true,
      readText: readDecisionText,
      sendsOwnToken,
      ...(isByToken && { confidential: token === undefined ? [] : [token] }),
    }));
  }
}
