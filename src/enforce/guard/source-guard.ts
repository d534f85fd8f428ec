import { isArangoServicesError } from '../../base/arango-services-error.js';
import { InvalidArgumentError, TimeoutError } from '../../base/errors.js';
import { expected, optionsOf, readArgument, readFields } from '../../base/lib/readers.js';
import { race } from '../../base/lib/wait.js';
import { timeoutOption } from '../../client/connection/deadline.js';
import { startClock } from '../../policy/decision-line/on-decision.js';
import type { EvaluationItem } from '../../policy/model/model.js';
import { NotValid, type Owner } from '../../policy/model/subject.js';
import {
  type Access,
  addRefused,
  addToken,
  type ManyAccess,
  type ManyGranted,
  type Refused,
  toRefused,
} from './access.js';
import { answer, unauthenticated, unavailable } from './answers.js';
import { readCaller } from './caller.js';
import { DecisionCache } from './decision-cache.js';
import { DecisionHooks, type Elapsed } from './decision-hooks.js';
import type { Guard } from './guard.js';
import type { GuardSettings } from './guard-options.js';
import {
  type GuardQuestion,
  keyOf,
  type ReadQuestion,
  readQuestion,
  readQuestions,
  readRevisions,
} from './guard-question.js';
import { type GuardedRequest, type ReadRequest, readRequest } from './guarded-request.js';
import type { ShadowCounts } from './shadow.js';
import { cannotReach, type OwnerOrNot, type Source, type SourceCall } from './source.js';
import { traceOf } from './trace.js';

const isValid = (answer: unknown): boolean => !(answer instanceof NotValid);

/** The fields of an access that identify the caller. Copies the groups, because the owner may be cached. */
const userAndGroups = (owner: Owner | undefined) => owner && { user: owner.user, groups: [...owner.groups] };

/**
 * Reads an argument of the service.
 * @throws InvalidArgumentError also if a getter or a proxy throws: its own message may quote anything.
 */
function guarded<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isArangoServicesError(error) ? error : new InvalidArgumentError(field, 'reading it threw');
  }
}

/** A request with a token. */
interface Carried {
  readonly token: string;
  readonly method: string | undefined;
  readonly call: SourceCall;
  readonly elapsed: Elapsed;
  /** The revisions of writes that the decision must reflect. */
  readonly atLeast: readonly string[];
}

const readWait = optionsOf({ timeout: timeoutOption });

/** The guard over a {@link Source}. */
export class SourceGuard implements Guard {
  readonly #source: Source;
  readonly #settings: GuardSettings;
  readonly #cache: DecisionCache;
  /** Tells which decisions may be cached; undefined if none may. */
  readonly #keeps: typeof isValid | undefined;
  readonly #identifies: boolean;
  readonly #hooks: DecisionHooks;

  constructor(source: Source, settings: GuardSettings) {
    this.#source = source;
    this.#settings = settings;
    this.#cache = new DecisionCache(settings.cache, settings.now);
    this.#keeps = source.isLocal ? undefined : isValid;
    this.#identifies = source.isLocal || settings.identify || settings.emits;
    this.#hooks = new DecisionHooks(source.name, settings);
  }

  get shadow(): ShadowCounts | undefined {
    return this.#hooks.shadow?.counts;
  }

  async flush(): Promise<void> {
    await this.#hooks.shadow?.settled();
  }

  async check(request: GuardedRequest, question: GuardQuestion): Promise<Access> {
    const read = guarded('question', () => readFields(question, 'question', readQuestion));
    const { item } = read;
    return this.#withToken(request, read.atLeast, async (carried) => {
      const { token, method, call, elapsed, atLeast } = carried;
      const key = keyOf('one', item === undefined ? [] : [item], atLeast);
      const owner = this.#ownerOf(token, call);
      const upToDate = this.#upToDate(owner, carried);
      const ask = () => (item === undefined ? this.#deny(owner) : this.#source.evaluate(token, item, upToDate, call));
      const [allowed, tokenOwner] = await Promise.all([
        this.#cache.get(token, key, { ask, keeps: this.#keeps }),
        this.#identifies ? owner() : undefined,
      ]);
      if (allowed instanceof NotValid || tokenOwner instanceof NotValid) return this.#notValid(tokenOwner, method);
      this.#hooks.emit(() => [{ ...read, allowed }], tokenOwner ?? owner, call.headers, elapsed);
      const cause = item ? undefined : new TypeError('denied: the resource is not valid text, or over 4 MiB');
      if (!allowed) return toRefused(answer(403), method, cause);
      return addToken({ allowed: true, status: 200, ...userAndGroups(tokenOwner) }, token);
    });
  }

  async checkMany<const A extends string, const R extends string>(
    request: GuardedRequest,
    items: readonly GuardQuestion<A, R>[],
  ): Promise<ManyAccess<A, R>> {
    // The cast: the strings of the questions are those that the caller gave.
    const questions = guarded(
      'items',
      () => readArgument(items, 'items', readQuestions) as (ReadQuestion & { action: A; resource: R })[],
    );
    const validItems = questions.map(({ item }) => item).filter((item): item is EvaluationItem => item !== undefined);
    const atLeast = [...new Set(questions.flatMap((question) => question.atLeast))];
    const access = await this.#withToken<ManyGranted<A, R>>(request, atLeast, async (carried) => {
      const { token, method, call, elapsed } = carried;
      const key = keyOf('many', validItems, carried.atLeast);
      const owner = this.#ownerOf(token, call);
      const upToDate = this.#upToDate(owner, carried);
      const ask = () => this.#source.evaluateMany(token, validItems, upToDate, call);
      const [decisions, tokenOwner] = await Promise.all([
        this.#cache.get(token, key, { ask, keeps: this.#keeps }),
        this.#identifies ? owner() : undefined,
      ]);
      if (decisions instanceof NotValid || tokenOwner instanceof NotValid) return this.#notValid(tokenOwner, method);
      let next = 0;
      const decided = questions.map(({ action, resource, item }) => ({
        action,
        resource,
        allowed: item !== undefined && decisions[next++] === true,
      }));
      const toReport = () => questions.map((question, i) => ({ ...question, allowed: decided[i]?.allowed === true }));
      this.#hooks.emit(toReport, tokenOwner ?? owner, call.headers, elapsed);
      const allowed = decided.length > 0 && decided.every((decision) => decision.allowed);
      const granted = { allowed, status: 200 as const, ...userAndGroups(tokenOwner), items: decided };
      return addRefused(addToken(granted, token), () => toRefused(answer(403), method));
    });
    return 'items' in access ? access : addRefused(access, () => access);
  }

  async authenticate(request: GuardedRequest): Promise<Access> {
    return this.#withToken(request, undefined, async ({ token, method, call }) => {
      const owner = await this.#ownerOf(token, call)();
      if (owner instanceof NotValid) return this.#notValid(owner, method);
      return addToken({ allowed: true, status: 200, ...userAndGroups(owner) }, token);
    });
  }

  async ready(options: { readonly timeout?: number | undefined } = {}): Promise<void> {
    const { timeout = this.#settings.timeout } = readFields(options, 'options', readWait);
    await this.#within(timeout, (signal) => this.#source.ready({ signal }, timeout));
  }

  /** Ends work at a deadline, and aborts its calls then; 0 means none. */
  #within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const overdue = (): Error => {
      const error = new TimeoutError({}, ms);
      controller.abort(error);
      return error;
    };
    return race(work(controller.signal), { ms: ms || undefined, overdue });
  }

  /**
   * Reads the caller's token and calls `goOn` with it. Failures from there on become a 503, never an Allow. `atLeast`
   * is undefined if there is no decision.
   */
  async #withToken<T>(
    input: GuardedRequest,
    atLeast: readonly string[] | undefined,
    goOn: (carried: Carried) => Promise<T | Refused>,
  ): Promise<T | Refused> {
    const request = readRequest(input);
    if (request === undefined) throw expected('request', 'a Request, or an object with headers', input);
    if (atLeast?.length && !this.#source.reached) throw cannotReach('atLeast');
    const { method } = request;
    const { token, problem } = readCaller(request, this.#settings);
    if (problem === 'forged') return toRefused(answer(403), method);
    if (token === undefined) return toRefused(unauthenticated(this.#settings.realm, problem), method);
    const elapsed = this.#settings.emits ? startClock() : undefined;
    try {
      return await this.#within(this.#settings.timeout, (signal) =>
        goOn({
          token,
          method,
          call: { headers: traceOf(request), signal },
          elapsed,
          atLeast: atLeast ? this.#revisions(request, atLeast) : [],
        }),
      );
    } catch (error) {
      return toRefused(unavailable(error), method, error);
    }
  }

  /**
   * Returns the revisions of the question and of the request's header.
   * @throws InvalidArgumentError for a header that is not valid: without it, the decision could be outdated.
   */
  #revisions(request: ReadRequest, atLeast: readonly string[]): readonly string[] {
    const { revisionHeader } = this.#settings;
    const text = revisionHeader && request.header(revisionHeader);
    if (text === undefined || text === '') return atLeast;
    // A header that was sent twice is null, which is rejected.
    const parts = text?.split(',').map((part) => part.trim());
    const sent = readArgument(parts, `request.headers.${revisionHeader}`, readRevisions);
    return [...new Set([...atLeast, ...sent])];
  }

  #notValid(owner: OwnerOrNot | undefined, method: string | undefined): Refused {
    const problem = owner instanceof NotValid ? owner.problem : undefined;
    const cause = problem === undefined ? undefined : new TypeError(`authenticate: ${problem}`);
    return toRefused(unauthenticated(this.#settings.realm, 'bad'), method, cause);
  }

  /** Denies any valid token. */
  async #deny(owner: () => Promise<OwnerOrNot>): Promise<boolean | NotValid> {
    const tokenOwner = await owner();
    return tokenOwner instanceof NotValid ? tokenOwner : false;
  }

  /** Waits for the writes after the owner is known, so that no request without a valid token waits. */
  #upToDate(owner: () => Promise<OwnerOrNot>, { call, atLeast }: Carried): () => Promise<OwnerOrNot> {
    if (atLeast.length === 0) return owner;
    return async () => {
      const tokenOwner = await owner();
      if (!(tokenOwner instanceof NotValid)) await this.#source.reached?.(atLeast, call);
      return tokenOwner;
    };
  }

  /** Looks up the owner of a token, lazily and once. */
  #ownerOf(token: string, call: SourceCall): () => Promise<OwnerOrNot> {
    let promise: Promise<OwnerOrNot> | undefined;
    const ask = () => this.#source.authenticate(token, call);
    return () => {
      promise ??= this.#cache.get(token, 'owner', { ask, keeps: isValid });
      return promise;
    };
  }
}
