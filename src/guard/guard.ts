import { InvalidArgumentError, isInvalidArgumentError } from '../errors.js';
import { expected, readFields } from '../lib/readers.js';
import type { EvaluationItem } from '../policy/model.js';
import type { Access, Granted, ManyAccess, Refused } from './access.js';
import { type Answer, answer, asResponse, unauthenticated, unavailable } from './answers.js';
import { readCaller } from './caller.js';
import { Memory } from './memory.js';
import { type GuardOptions, type GuardSettings, guardReader, settle } from './options.js';
import { type GuardedRequest, readRequest } from './request.js';
import { type GuardSource, invalidToken, readSource, type Source } from './source.js';

/** What a guard is asked: may the caller do `action` on `resource`? */
export interface Question<Action extends string = string, Resource extends string = string> extends EvaluationItem {
  readonly action: Action;
  readonly resource: Resource;
}

/** Reads who calls a service and asks whether they may. `createGuard` makes one. */
export interface Guard<Action extends string = string, Resource extends string = string> {
  /**
   * Whether who sent a request may do something.
   * @param request a `Request`, an `IncomingMessage`, `Headers`, or a record of headers
   * @param question the action and the resource
   * @returns `allowed`, else an answer for the caller: 401, 403, or 503 where nobody could decide. It never rejects for what the caller
   * sent or for a service that failed.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) as a rejection, for a question that is none.
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
  check(request: GuardedRequest, question: Question<Action, Resource>): Promise<Access>;
  /**
   * The same for a list or a page, in one request to the service: `items` in their order, or a `response` where the whole failed.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) as a rejection, for questions that are none.
   */
  checkMany<const A extends Action, const R extends Resource>(
    request: GuardedRequest,
    questions: readonly Question<A, R>[],
  ): Promise<ManyAccess<A, R>>;
  /** Only says who sent a request; `allowed` means that the token is valid. (POST validate, or as the source knows tokens) */
  authenticate(request: GuardedRequest): Promise<Access>;
}

/** Whom a request is from, or the refusal. */
type Met = { readonly token: string; readonly method: string | undefined } | { readonly refused: Refused };

const refuse = (given: Answer, method: string | undefined): Refused => ({
  // The cast: only these statuses are made here.
  ...(given as Answer & { readonly status: 401 | 403 | 503 }),
  allowed: false,
  get response() {
    return asResponse(given, method);
  },
});

/** Answers for one guard. */
class SourceGuard implements Guard {
  readonly #source: Source;
  readonly #settings: GuardSettings;
  readonly #memory: Memory;

  constructor(source: Source, settings: GuardSettings) {
    this.#source = source;
    this.#settings = settings;
    this.#memory = new Memory(settings.cache, settings.now);
  }

  async check(request: GuardedRequest, question: Question): Promise<Access> {
    const met = this.#meet(request);
    if ('refused' in met) return met.refused;
    return this.#settle(met, async () => {
      const key = `one ${JSON.stringify(question)}`;
      const [decision, who] = await Promise.all([
        this.#memory.answer(met.token, key, () => this.#source.evaluate(met.token, question)),
        this.#identify(met.token),
      ]);
      if (decision === invalidToken || who === invalidToken) return this.#invalid(met.method);
      return decision.allowed ? { allowed: true, status: 200, token: met.token, ...who } : refuse(answer(403), met.method);
    });
  }

  async checkMany<const A extends string, const R extends string>(
    request: GuardedRequest,
    questions: readonly Question<A, R>[],
  ): Promise<ManyAccess<A, R>> {
    const met = this.#meet(request);
    if ('refused' in met) return met.refused;
    return this.#settle<ManyAccess<A, R>>(met, async () => {
      const key = `many ${JSON.stringify(questions)}`;
      const [decisions, who] = await Promise.all([
        this.#memory.answer(met.token, key, () => this.#source.evaluateMany(met.token, questions)),
        this.#identify(met.token),
      ]);
      if (decisions === invalidToken || who === invalidToken) return this.#invalid(met.method);
      const items = questions.map(({ action, resource }, index) => {
        // Nothing but an explicit yes is one.
        return { action, resource, allowed: decisions.items[index]?.allowed === true };
      });
      const allowed = items.length > 0 && items.every((item) => item.allowed);
      return { allowed, status: 200, token: met.token, ...who, items };
    });
  }

  async authenticate(request: GuardedRequest): Promise<Access> {
    const met = this.#meet(request);
    if ('refused' in met) return met.refused;
    return this.#settle(met, async () => {
      const who = await this.#who(met.token);
      return who === invalidToken ? this.#invalid(met.method) : { allowed: true, status: 200, token: met.token, ...who };
    });
  }

  #meet(given: GuardedRequest): Met {
    const request = readRequest(given);
    if (request === undefined) throw expected('request', 'a Request, or an object with headers', given);
    const caller = readCaller(request, this.#settings);
    const { method } = request;
    if (caller.token !== undefined) return { token: caller.token, method };
    const { problem } = caller;
    return {
      refused: refuse(problem === 'forged' ? answer(403) : unauthenticated(this.#settings.realm, problem), method),
    };
  }

  #invalid(method: string | undefined): Refused {
    return refuse(unauthenticated(this.#settings.realm, 'bad'), method);
  }

  /** Whatever fails is not the caller's doing, and never an Allow. */
  async #settle<T>({ method }: { readonly method: string | undefined }, work: () => Promise<T>): Promise<T | Refused> {
    try {
      return await work();
    } catch (error) {
      if (isInvalidArgumentError(error)) {
        // A resource is made of what the caller sent; nobody has a permission on one that cannot be.
        if (error.field.endsWith('resource')) return refuse(answer(403), method);
        // The rest of the question is this service's own: whoever wrote it has to know.
        throw error;
      }
      return refuse(unavailable(error), method);
    }
  }

  async #identify(token: string): Promise<Pick<Granted, 'user' | 'groups'> | typeof invalidToken> {
    return this.#settings.identify ? this.#who(token) : {};
  }

  async #who(token: string): Promise<Pick<Granted, 'user' | 'groups'> | typeof invalidToken> {
    const known = await this.#memory.answer(token, 'who', () => this.#source.authenticate(token));
    return known === invalidToken ? known : { user: known.user, groups: known.groups };
  }
}

/**
 * Guards a service: reads the bearer token of a request and has its owner's permission decided, with the right status for each outcome.
 * @param source a client, whose services decide (POST evaluate-token, evaluate-token-many, validate), or a `Decider` (an evaluator, a
 * replica) with `authenticate`, which says whom a token belongs to
 * @param options see {@link GuardOptions}
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option.
 * @example Actions that are declared once cannot be misspelt
 * ```ts
 * import { createClient } from 'arango-services';
 * import { createGuard } from 'arango-services/guard';
 *
 * const client = createClient({ url: 'http://localhost:8529' });
 * export const guard = createGuard<'orders:read' | 'orders:write'>(client, { realm: 'orders', cache: { ttl: '5s' } });
 * ```
 * @example Decisions in the process
 * ```ts
 * import { createGuard } from 'arango-services/guard';
 * import { createEvaluator } from 'arango-services/policy';
 * import { verifyToken } from 'arango-services/token';
 *
 * export const guard = createGuard(createEvaluator(), {
 *   authenticate: (token) => verifyToken(token, { secret: 'the secret of the deployment' }),
 * });
 * ```
 */
export function createGuard<Action extends string = string, Resource extends string = string>(
  source: GuardSource,
  options: GuardOptions = {},
): Guard<Action, Resource> {
  const { authenticate, timeout, ...settings } = settle(readFields(options, 'options', guardReader));
  const found = readSource(source, authenticate, timeout === undefined ? {} : { timeout });
  if (found === undefined) {
    throw new InvalidArgumentError(
      'source',
      'expected a client, or a Decider (evaluate, evaluateMany) with options.authenticate: (token) => Promise of whom it belongs to',
    );
  }
  return new SourceGuard(found, settings);
}
