import { InvalidArgumentError } from '../errors.js';
import {
  expected,
  listOf,
  type Reader,
  readArgument,
  readFields,
  readText,
  readWith,
  strictObject,
} from '../lib/readers.js';
import type { EvaluationItem } from '../policy/model.js';
import { itemFields } from '../services/authorization/messages.js';
import { type Access, addToken, type ManyAccess, type Refused, toRefused } from './access.js';
import { answer, unauthenticated, unavailable } from './answers.js';
import { readCaller } from './caller.js';
import { DecisionCache } from './decision-cache.js';
import { type GuardOptions, type GuardSettings, readOptions } from './options.js';
import { type GuardedRequest, readRequest } from './request.js';
import { type GuardSource, invalidToken, type Owner, type OwnerOrInvalid, readSource, type Source } from './source.js';

/** What a guard is asked: may the caller do `action` on `resource`? */
export interface Question<Action extends string = string, Resource extends string = string> extends EvaluationItem {
  readonly action: Action;
  readonly resource: Resource;
}

/** Reads who calls a service and asks whether they may. `createGuard` makes one. */
export interface Guard<Action extends string = string, Resource extends string = string> {
  /**
   * Whether who sent a request may do something. (POST evaluate-token)
   * @param request a `Request`, an `IncomingMessage`, `Headers`, or a record of headers
   * @param question the action and the resource
   * @returns `allowed`, else an answer for the caller: 401, 403, or 503 where nobody could decide. It never rejects for
   * what the caller sent or for a service that failed.
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
   * The same for a list or a page, in one request to the service. (POST evaluate-token-many)
   * @param items at most 10 000 questions
   * @returns the decisions as `items` in their order, or a `response` where the whole failed.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) as a rejection, for questions that are none.
   */
  checkMany<const A extends Action, const R extends Resource>(
    request: GuardedRequest,
    items: readonly Question<A, R>[],
  ): Promise<ManyAccess<A, R>>;
  /**
   * Only says who sent a request; `allowed` means that the token is valid. (POST validate, or the option
   * `authenticate`)
   */
  authenticate(request: GuardedRequest): Promise<Access>;
}

/** A question as it was read; without a resource where nothing can be called that. */
interface ReadQuestion extends Omit<EvaluationItem, 'resource'> {
  readonly resource: string | undefined;
}

/** A resource is made of what the caller sent. Nobody has a permission on a text that cannot be one. */
const readResource: Reader<string | undefined> = (value, reading) =>
  typeof value === 'string' && readWith(value, readText).issues.length > 0 ? undefined : readText(value, reading);

// The cast: a context is read as an object, whatever its fields.
const readQuestion = strictObject({ ...itemFields, resource: readResource }) as Reader<ReadQuestion>;
const readQuestions = listOf(readQuestion);

/** Whether a question can be asked. */
const isItem = (question: ReadQuestion): question is ReadQuestion & EvaluationItem => question.resource !== undefined;

const isValid = (answer: unknown): boolean => answer !== invalidToken;

/** The fields of an access that say who the caller is. */
const userAndGroups = (owner: Owner | undefined) => owner && { user: owner.user, groups: owner.groups };

/** Answers for one guard. */
class SourceGuard implements Guard {
  readonly #source: Source;
  readonly #settings: GuardSettings;
  readonly #cache: DecisionCache;

  constructor(source: Source, settings: GuardSettings) {
    this.#source = source;
    this.#settings = settings;
    this.#cache = new DecisionCache(settings.cache, settings.now);
  }

  async check(request: GuardedRequest, question: Question): Promise<Access> {
    const asked = readFields(question, 'question', readQuestion);
    const key = `one ${JSON.stringify(asked)}`;
    return this.#withToken(request, async (token, method) => {
      const owner = this.#ownerOf(token);
      const ask = () => (isItem(asked) ? this.#source.evaluate(token, asked, owner) : this.#deny(owner));
      const [decision, known] = await Promise.all([
        this.#cache.get(token, key, { ask, keeps: isValid }),
        this.#settings.identify ? owner() : undefined,
      ]);
      if (decision === invalidToken || known === invalidToken) return this.#invalid(method);
      // Nothing but an explicit yes is one.
      if (decision.allowed !== true) return toRefused(answer(403), method);
      return addToken({ allowed: true, status: 200, ...userAndGroups(known) }, token);
    });
  }

  async checkMany<const A extends string, const R extends string>(
    request: GuardedRequest,
    items: readonly Question<A, R>[],
  ): Promise<ManyAccess<A, R>> {
    const questions = readArgument(items, 'items', readQuestions);
    const asked = questions.filter(isItem);
    const key = `many ${JSON.stringify(asked)}`;
    const given = items.map(({ action, resource }) => ({ action, resource }));
    return this.#withToken<ManyAccess<A, R>>(request, async (token, method) => {
      const owner = this.#ownerOf(token);
      const ask = () => this.#source.evaluateMany(token, asked, owner);
      const [decisions, known] = await Promise.all([
        this.#cache.get(token, key, { ask, keeps: isValid }),
        this.#settings.identify ? owner() : undefined,
      ]);
      if (decisions === invalidToken || known === invalidToken) return this.#invalid(method);
      let next = 0;
      const decided = given.map((item, index) => ({
        ...item,
        allowed: questions[index]?.resource !== undefined && decisions.items[next++]?.allowed === true,
      }));
      const allowed = decided.length > 0 && decided.every((item) => item.allowed);
      return addToken({ allowed, status: 200 as const, ...userAndGroups(known), items: decided }, token);
    });
  }

  async authenticate(request: GuardedRequest): Promise<Access> {
    return this.#withToken(request, async (token, method) => {
      const known = await this.#ownerOf(token)();
      if (known === invalidToken) return this.#invalid(method);
      return addToken({ allowed: true, status: 200, ...userAndGroups(known) }, token);
    });
  }

  /** Reads the caller's token and goes on with it. What fails then is not the caller's doing, and never an Allow. */
  async #withToken<T>(
    given: GuardedRequest,
    goOn: (token: string, method: string | undefined) => Promise<T>,
  ): Promise<T | Refused> {
    const request = readRequest(given);
    if (request === undefined) throw expected('request', 'a Request, or an object with headers', given);
    const { method } = request;
    const { token, problem } = { problem: undefined, ...readCaller(request, this.#settings) };
    if (problem === 'forged') return toRefused(answer(403), method);
    if (token === undefined) return toRefused(unauthenticated(this.#settings.realm, problem), method);
    try {
      return await goOn(token, method);
    } catch (error) {
      return toRefused(unavailable(error), method, error);
    }
  }

  #invalid(method: string | undefined): Refused {
    return toRefused(unauthenticated(this.#settings.realm, 'bad'), method);
  }

  /** A Deny for whoever has a valid token. */
  async #deny(owner: () => Promise<OwnerOrInvalid>) {
    return (await owner()) === invalidToken ? invalidToken : { allowed: false };
  }

  /** Asks whom a token belongs to when it is called first. */
  #ownerOf(token: string): () => Promise<OwnerOrInvalid> {
    let asked: Promise<OwnerOrInvalid> | undefined;
    const ask = () => this.#source.authenticate(token);
    return () => {
      asked ??= this.#cache.get(token, 'owner', { ask, keeps: isValid });
      return asked;
    };
  }
}

/**
 * Guards a service: reads the bearer token of a request and has its owner's permission decided, with the right status
 * for each outcome.
 * @param source a client, whose services decide (POST evaluate-token, evaluate-token-many, validate), or a `Decider`
 * (an evaluator, a replica) with `authenticate`, which says whom a token belongs to
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
 * import { createVerifier } from 'arango-services/token';
 *
 * const authenticate = createVerifier({ secret: 'the secret of the deployment' });
 * export const guard = createGuard(createEvaluator(), { authenticate });
 * ```
 */
export function createGuard<Action extends string = string, Resource extends string = string>(
  source: GuardSource,
  options: GuardOptions = {},
): Guard<Action, Resource> {
  const settings = readOptions(options);
  const found = readSource(source, settings.authenticate);
  if (found === undefined) {
    throw new InvalidArgumentError(
      'source',
      'expected a client, or a Decider (evaluate, evaluateMany) with the option ' +
        'authenticate: (token) => a promise of its owner',
    );
  }
  return new SourceGuard(found, settings);
}
