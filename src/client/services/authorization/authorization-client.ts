import { PermissionDeniedError } from '../../../base/errors.js';
import { quietly } from '../../../base/lib/quietly.js';
import { expected, type Reader, readFields } from '../../../base/lib/readers.js';
import { startClock } from '../../../policy/decision-line/on-decision.js';
import { type Decider, muted, type UserSubject } from '../../../policy/model/decider.js';
import type { Decision, EvaluationItem, ManyDecisions, Policy, Role } from '../../../policy/model/model.js';
import type { CallSender } from '../../connection/call.js';
import type { KnownSender } from '../../connection/credentials-contract.js';
import { readDecisionText } from '../decision-text.js';
import { Service, type ServiceCallOptions } from '../service-client.js';
import {
  decision,
  decisions,
  type EvaluateManyRequest,
  type EvaluateRequest,
  readEvaluation,
  readEvaluations,
  readItem,
  type WireSubject,
} from './authorization-messages.js';
import { Batch } from './batch.js';
import { Bindings } from './bindings.js';
import {
  type AuthorizationOptions,
  type EvaluateOptions,
  readEvaluateOptions,
  refreshHeader,
} from './evaluate-options.js';
import { Collection } from './management.js';
import { onLaterPlatform } from './newer-platform.js';
import { reportAnswers } from './report-answers.js';
import { addOwn, type OwnSubject, readOwn } from './self.js';

// The services reject requests with more items.
const mostItems = 1_000;

/**
 * Authorization V1 of the integration services, and the management of policies, roles and bindings:
 * `client.authorization`.
 *
 * Every call rejects with `InvalidArgumentError` (nothing was sent), `HttpError`, `NetworkError`, `TimeoutError`,
 * `AbortError`, `SchemaError`, `ParseError`, `RedirectError` or `CredentialsError`. A failed call is never a
 * decision; only a response with status 200 and JSON of at most 1 MiB is one.
 */
export class AuthorizationClient {
  /** The policies, by name. */
  declare readonly policies: Collection<Policy>;
  /** The roles, by name. */
  declare readonly roles: Collection<Role>;
  /** The roles of users. */
  declare readonly bindings: Bindings;
  /** The roles of groups, on platforms that bind roles to groups. */
  declare readonly groupBindings: Bindings<'group'>;
  readonly #sender: KnownSender;
  readonly #service: Service;
  readonly #management: Service;
  readonly #batch: Batch | undefined;
  readonly #local: (subject: WireSubject, options: EvaluateOptions) => Decider | undefined;
  readonly #options: AuthorizationOptions;

  /**
   * Creates a client over a connection; `client.authorization` is the shorter way.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if the argument is not a connection.
   */
  constructor(connection: CallSender, options: AuthorizationOptions = {}) {
    const { batch = false, replica, whenNotLive, onDecision } = options;
    this.#options = options;
    this.#local = ({ user }, options) => {
      // If already aborted, let the network call reject.
      if (replica === undefined || user === undefined || options.refresh || options.signal?.aborted) return undefined;
      if (replica.live !== false || whenNotLive === 'serve') return onDecision ? muted(replica) : replica;
      if (whenNotLive === 'refuse') replica.assertLive?.();
      return undefined;
    };
    this.#sender = connection;
    this.#service = new Service(connection, 'integration', '/_integration/authorization/v1');
    this.#management = new Service(connection, 'management', '/_management/permissions');
    this.policies = Collection.policies(connection);
    this.roles = Collection.roles(connection);
    this.bindings = new Bindings(connection, 'user');
    this.groupBindings = new Bindings(connection, 'group');
    if (batch) {
      this.#batch = new Batch(async (subject, items, options) => {
        const [only] = items;
        if (only !== undefined && items.length === 1) return [await this.#ask('', [subject, only], decision, options)];
        return (await this.#many(subject, items, options)).items;
      });
    }
  }

  /**
   * Decides if a subject may do `action` on `resource`.
   * (POST `/_integration/authorization/v1/evaluate`, for a token and for `self` `evaluate-token`)
   *
   * The subject `{ self: true }` is the bearer token of this client's credentials, which is obtained if there is none
   * yet. If the service reports it as invalid, it is renewed once, as after a 401.
   * @throws HttpError (code `HTTP`, status 400) for an invalid token. InvalidArgumentError, field `self`, for `self`
   * without credentials or with basic ones.
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
  async evaluate(request: EvaluateRequest, options?: EvaluateOptions): Promise<Decision> {
    return (await this.#decide(request, options)).decision;
  }

  /**
   * Decides on many items at once. More than 1000 items are split into several requests.
   * (POST `/_integration/authorization/v1/evaluate-many`, for a token and for `self` `evaluate-token-many`)
   * @returns the decisions in the order of the items, and the overall effect: Allow only if every item is allowed.
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
   * // The buttons of a page that its user may press.
   * const buttons = ['orders:write', 'orders:delete'].map((action) => ({ action, resource: 'orders' }));
   * const page = await client.authorization.evaluateMany({ self: true, items: buttons });
   * console.log(buttons.filter((_, index) => page.items[index]?.allowed));
   * ```
   */
  async evaluateMany(request: EvaluateManyRequest, options?: EvaluateOptions): Promise<ManyDecisions> {
    const { subject, asked, call } = this.#prepare('/evaluate-many', request, readEvaluations, options);
    const local = this.#local(subject, call);
    if (local !== undefined) {
      // The cast: the replica decides for users only.
      const question = { ...subject, ...asked } as UserSubject & { items: EvaluationItem[] };
      return this.#reported([subject, asked], 'replica', () => local.evaluateMany(question));
    }
    return this.#many(subject, asked.items, call);
  }

  /**
   * Does the same as {@link AuthorizationClient.evaluate}, but returns true, only for an Allow, or false.
   * @example
   * ```ts
   * if (await client.authorization.isAllowed({ token, action: 'orders:write', resource: 'orders' })) {
   *   await orders.post({ item: 'book' });
   * }
   * ```
   */
  async isAllowed(request: EvaluateRequest, options?: EvaluateOptions): Promise<boolean> {
    return (await this.#decide(request, options)).decision.allowed;
  }

  /**
   * Does the same as {@link AuthorizationClient.evaluate}, but rejects unless the decision is Allow.
   * @throws PermissionDeniedError (code `PERMISSION_DENIED`) with action and resource.
   * @example
   * ```ts
   * await client.authorization.assertAllowed({ user: 'alice', action: 'orders:read', resource: 'orders' });
   * ```
   */
  async assertAllowed(request: EvaluateRequest, options?: EvaluateOptions): Promise<void> {
    const { decision, item } = await this.#decide(request, options);
    if (!decision.allowed) throw new PermissionDeniedError(item.action, item.resource);
  }

  /**
   * Decides if the token of this client's own credentials may do `action` on `resource`.
   * (POST `/_management/permissions/validate`)
   */
  checkSelf(request: EvaluationItem, options?: ServiceCallOptions): Promise<Decision> {
    return this.#management.ask('POST', '/validate', decision, options, () => ({
      body: readFields(request, 'request', readItem),
      readOnly: true,
      service: { readText: readDecisionText },
    }));
  }

  /** Makes the permission service reload its policies, roles and bindings. (POST `/_management/permissions/refresh`) */
  async refresh(options?: ServiceCallOptions): Promise<void> {
    await this.#management.ask('POST', '/refresh', undefined, options);
  }

  /**
   * Makes the sidecar that evaluates pull the policies, roles and bindings of the permission service, as `refresh` of a
   * question does. (POST `/_integration/authorization/v1/refresh`)
   * @throws HttpError (code `HTTP`, status 404) on platforms without this call.
   */
  async refreshSidecar(options?: ServiceCallOptions): Promise<void> {
    await onLaterPlatform(this.#service.ask('POST', '/refresh', undefined, options));
  }

  #prepare<T extends object>(path: string, request: unknown, reader: Reader<T>, options: unknown = {}) {
    return this.#service.prepare('POST', path, () => {
      const { refresh = !!this.#options.refresh, ...rest } = readFields(options, 'options', readEvaluateOptions);
      return { ...readFields(request, 'request', reader), call: { refresh, ...rest } };
    });
  }

  async #decide(request: unknown, options: unknown): Promise<{ decision: Decision; item: EvaluationItem }> {
    const path = '/evaluate';
    const { subject, asked, call } = this.#prepare(path, request, readEvaluation, options);
    // The cast: the reader fixes the type of an item.
    const item = asked as EvaluationItem;
    const local = this.#local(subject, call);
    if (local !== undefined) {
      const question = { ...subject, ...item } as UserSubject & EvaluationItem;
      return { decision: await this.#reported([subject, item], 'replica', () => local.evaluate(question)), item };
    }
    // A function may return other headers for each call.
    const batch = typeof call.headers === 'function' ? undefined : this.#batch;
    const answer =
      batch?.evaluate(subject, item, call, this.#service.nameOf('POST', path)) ??
      this.#ask('', [subject, item], decision, call);
    return { decision: await answer, item };
  }

  /** @internal Decides without calling `onDecision`, and with other options. */
  muted(options?: AuthorizationOptions): AuthorizationClient {
    return new AuthorizationClient(this.#sender as CallSender, { ...this.#options, onDecision: undefined, ...options });
  }

  /** Gets an answer, and reports it to `onDecision`. `ownOf` returns the caller that was sent as the subject. */
  async #reported<T extends Decision | ManyDecisions>(
    [subject, question]: readonly [subject: Partial<WireSubject>, question: object],
    source: 'service' | 'replica',
    ask: () => T | Promise<T>,
    ownOf?: () => OwnSubject | undefined,
  ): Promise<T> {
    const { onDecision } = this.#options;
    const elapsed = onDecision && startClock();
    const answer = await ask();
    if (typeof answer?.allowed !== 'boolean') throw expected(source, 'a decision', answer);
    if (elapsed) {
      const by = { source, durationUs: elapsed() };
      void quietly(() => reportAnswers(onDecision, [ownOf?.() ?? subject, question], answer, by));
    }
    return answer;
  }

  async #many(
    subject: WireSubject,
    items: readonly EvaluationItem[],
    options: EvaluateOptions,
  ): Promise<ManyDecisions> {
    const calls: Promise<ManyDecisions>[] = [];
    let left = options;
    for (let start = 0; start === 0 || start < items.length; start += mostItems) {
      const part = items.slice(start, start + mostItems);
      const answer = this.#ask('-many', [subject, { items: part }], decisions(part.length), left);
      calls.push(answer);
      // The other parts are decided from what the first one made the service pull.
      if (left.refresh) await answer;
      left = { ...options, refresh: false };
    }
    const answers = await Promise.all(calls);
    const all = answers.flatMap((answer) => answer.items);
    // An overall effect that contradicts its items is a Deny.
    const allowed = all.length > 0 && [...answers, ...all].every((decision) => decision.allowed);
    const { message = '' } = answers.find((answer) => answer.allowed === allowed) ?? {};
    return { effect: allowed ? 'Allow' : 'Deny', allowed, message, items: all };
  }

  #ask<T extends Decision | ManyDecisions>(
    kind: '' | '-many',
    [subject, question]: readonly [subject: WireSubject, question: object],
    answer: Reader<T>,
    { refresh, ...options }: EvaluateOptions,
  ): Promise<T> {
    const { self, ...named } = subject;
    const { token } = named;
    const isByToken = token !== undefined || (self && !this.#sender.parts?.credentials?.identify);
    let own: OwnSubject | undefined;
    const ask = () =>
      this.#service.ask('POST', '/evaluate', answer, options, () => ({
        path: (isByToken ? '-token' : '') + kind,
        body: { ...named, ...question },
        ...(refresh && { headers: refreshHeader }),
        readOnly: true,
        service: {
          readText: readDecisionText,
          addSelf:
            self &&
            (async (body, ...caller) => {
              own = await readOwn(...caller);
              return addOwn(own, body);
            }),
        },
        ...(isByToken && { confidential: token === undefined ? [] : [token] }),
      }));
    return this.#reported([named, question], 'service', ask, () => own);
  }
}
