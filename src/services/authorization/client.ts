import { type CallSender, prepareCall } from '../../connection/call.js';
import { PermissionDeniedError } from '../../errors.js';
import { type Reader, readFields } from '../../lib/readers.js';
import type { Decision, EvaluationItem, ManyDecisions, Policy, Role } from '../../policy/model.js';
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

/** What an `AuthorizationClient` takes beside its connection. */
export interface AuthorizationOptions {
  /** Sends the `evaluate` calls of one tick for the same subject as one request. Default false. */
  readonly batch?: boolean | undefined;
}

// More items in one request are refused by the services.
const mostItems = 1_000;

/**
 * Authorization V1 of the integration services and the management of policies, roles and bindings: `client.authorization`.
 *
 * Every call rejects with `InvalidArgumentError` (nothing was sent), `HttpError`, `NetworkError`, `TimeoutError`,
 * `AbortError`, `SchemaError`, `ParseError`, `RedirectError` or `CredentialsError`. A call that fails is never a decision.
 */
export class AuthorizationClient {
  readonly policies: Collection<Policy>;
  readonly roles: Collection<Role>;
  readonly bindings: Bindings;
  readonly #service: Service;
  readonly #management: Service;
  readonly #batch: Batch | undefined;

  /** `client.authorization` is the shorter way. @throws InvalidArgumentError */
  constructor(connection: CallSender, { batch = false }: AuthorizationOptions = {}) {
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
   * Whether a subject may do `action` on `resource`. (POST evaluate; evaluate-token for a token and for `self`)
   *
   * The subject `{ self: true }` is the bearer token that this client's credentials give, which is asked for if there is none yet. Where
   * the service says that it is not valid, it is renewed once, as after a 401.
   *
   * @throws HttpError (code `HTTP`) 400 for a token that is not valid. InvalidArgumentError (code `INVALID_ARGUMENT`, field `self`) for
   * `self` without credentials, and with basic ones.
   * @example
   * ```ts
   * import { createClient, credentials } from 'arango-services';
   *
   * const url = 'http://localhost:8529';
   * const client = createClient({ url, credentials: credentials.login({ username: 'alice', password: 'pw' }) });
   * const { allowed } = await client.authorization.evaluate({ self: true, action: 'orders:read', resource: 'orders' });
   * console.log(allowed);
   * ```
   */
  async evaluate(request: EvaluateRequest, options?: ServiceCallOptions): Promise<Decision> {
    return (await this.#decide(request, options)).decision;
  }

  /**
   * The same for many items at once; more than 1000 go in several requests. (POST evaluate-many, evaluate-token-many)
   *
   * @example
   * ```ts
   * import { createClient, credentials } from 'arango-services';
   *
   * const client = createClient({ url: 'http://localhost:8529', credentials: credentials.bearer('token') });
   * const buttons = ['orders:write', 'orders:delete'];
   * const items = buttons.map((action) => ({ action, resource: 'orders' }));
   * const answer = await client.authorization.evaluateMany({ self: true, items });
   * console.log(buttons.filter((_, index) => answer.items[index]?.allowed));
   * ```
   */
  async evaluateMany(request: EvaluateManyRequest, options?: ServiceCallOptions): Promise<ManyDecisions> {
    const { subject, items } = prepareCall(this.#service.nameOf('POST', '/evaluate-many'), () =>
      readFields(request, 'request', readEvaluations),
    );
    return this.#many(subject, items, options);
  }

  /** True only where the service said Allow; a call that fails rejects. */
  async isAllowed(request: EvaluateRequest, options?: ServiceCallOptions): Promise<boolean> {
    return (await this.#decide(request, options)).decision.allowed;
  }

  /** Rejects with `PermissionDeniedError`, which names action and resource, unless the service said Allow. */
  async assertAllowed(request: EvaluateRequest, options?: ServiceCallOptions): Promise<void> {
    const { decision, item } = await this.#decide(request, options);
    if (!decision.allowed) throw new PermissionDeniedError(item.action, item.resource);
  }

  /** Whether the token of this client's own credentials may do `action` on `resource`. (POST /_management/permissions/validate) */
  checkSelf(request: EvaluationItem, options?: ServiceCallOptions): Promise<Decision> {
    return this.#management.ask('POST', '/validate', decision, options, () => ({
      body: readFields(request, 'request', readItem),
      readOnly: true,
    }));
  }

  /** Has the service read its policies, roles and bindings again. (POST /_management/permissions/refresh) */
  async refresh(options?: ServiceCallOptions): Promise<void> {
    await this.#management.ask('POST', '/refresh', undefined, options);
  }

  async #decide(request: unknown, options: unknown): Promise<{ decision: Decision; item: EvaluationItem }> {
    const named = this.#service.nameOf('POST', '/evaluate');
    const { subject, item, call } = prepareCall(named, () => ({
      ...readFields(request, 'request', readEvaluation),
      call: readCallOptions(options),
    }));
    // What a function gives may differ from call to call.
    const batch = typeof call.headers === 'function' ? undefined : this.#batch;
    const decision = batch?.evaluate(subject, item, call, named) ?? this.#one(subject, item, call);
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
      sendsOwnToken,
      ...(isByToken && { confidential: token === undefined ? [] : [token] }),
    }));
  }
}
