import { readClock } from '../../base/lib/clock.js';
import { coders, requireEngine } from '../../base/lib/engine.js';
import { quietly } from '../../base/lib/quietly.js';
import { readUpTo } from '../../base/lib/read-up-to.js';
import {
  accepting,
  optional,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  readFunction,
  refuse,
  strictObject,
  withoutUndefined,
} from '../../base/lib/readers.js';
import { readBase } from '../../base/lib/url.js';
import { hasMethod, isObject } from '../../base/lib/values.js';
import type { Clock } from '../../client/connection/credentials-contract.js';
import type { AnalysisState } from '../../policy/analysis/analysis-types.js';
import { readEvaluator } from '../../policy/analysis/read-evaluator.js';
import { type MappingOptions, questionMapping, type ToQuestion } from '../../policy/authzen-protocol/mapping.js';
import { PageTokens } from '../../policy/authzen-protocol/page-tokens.js';
import {
  answerPdp,
  type PdpContext,
  type PdpRequest,
  type PdpUrl,
} from '../../policy/authzen-protocol/pdp-endpoints.js';
import { actionsOf } from '../../policy/authzen-protocol/pdp-state.js';
import type { CandidateSource, Candidates } from '../../policy/authzen-protocol/search.js';
import type { OnDecision } from '../../policy/decision-line/on-decision.js';
import type { Evaluator } from '../../policy/evaluate/evaluator.js';
import { type Decider, muted } from '../../policy/model/decider.js';
import { toPlain } from '../guard/answers.js';
import { reportingDecider } from './reporting-decider.js';

/** Adapts a `Request`. */
function fetchRequest(request: Request, isAuthentic: () => unknown): PdpRequest {
  const { method, headers } = request;
  return {
    method,
    path: new URL(request.url).pathname,
    header: (name) => headers.get(name),
    isAuthentic,
    readBody: (most) => readUpTo(request, most),
  };
}

const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Reads the identifier of a PDP: https, or http on loopback, without query and fragment. */
const readPdpUrl: Reader<PdpUrl> = (value, reading) => {
  const before = reading.issues.length;
  const base = readBase(value, reading);
  if (reading.issues.length > before) return base;
  const { protocol, hostname } = new URL(base.origin);
  const isSafe = protocol === 'https:' || loopback.test(hostname);
  return isSafe && base.query === '' ? base : refuse(reading, 'an https: URL (or loopback) without a query', value);
};

/** Options of `createPdp`. */
export interface PdpOptions {
  /**
   * The identifier of the PDP in its metadata, and the base of its endpoints: `https://pdp.example.com`, with a path if
   * a host has several. `http` is accepted for loopback only.
   */
  readonly url: string | URL;
  /**
   * Decides if the caller, a policy enforcement point, may ask: only `true` admits it, anything else is a 401. The
   * metadata is public. `'none'` admits every caller. The function must not read the request's body, only that of a
   * clone.
   */
  readonly authenticate: ((request: Request) => boolean | Promise<boolean>) | 'none';
  /** Options of the default mapping, or a function: undefined is a denial. */
  readonly mapping?: MappingOptions | ToQuestion | undefined;
  /** The state that searches list from: policies, an evaluator or a replica. Without it there are no searches. */
  readonly state?: AnalysisState | undefined;
  /**
   * The entities that searches may list. Resources come from here only, because wildcards cannot be listed: without
   * them there is no resource search. Default of subjects: the users with bindings. Default of actions: those that
   * policies name without a wildcard.
   */
  readonly candidates?: Candidates | undefined;
  /** Called with each error that becomes a 5xx, for the log of this service. Its own errors are ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Called with each decision of an evaluation or a batch, such as `record` of a decision log; not with the answers of
   * searches, nor with denials by the mapping alone. What the hook throws is ignored. Default none.
   */
  readonly onDecision?: OnDecision | undefined;
  /** The clock of page tokens, in milliseconds; a mock's clock works, too. Default `Date`. */
  readonly clock?: Clock | undefined;
}

/** The source of a PDP's decisions: an evaluator, a replica, or a client. */
export type PdpDecider = Decider | { readonly authorization: Decider };

/** A handler of requests in the Fetch API. It never rejects. */
export type Pdp = (request: Request) => Promise<Response>;

const readAuthenticate = accepting<PdpOptions['authenticate']>(
  'a function (request) => boolean, or "none" to admit every caller',
  (value) => typeof value === 'function' || value === 'none',
);

const readSource: Reader<CandidateSource<never>> = accepting(
  'a list or a function',
  (value) => Array.isArray(value) || typeof value === 'function',
);
const candidateReaders = {
  subjects: optional(readSource),
  resources: optional(readSource),
  actions: optional(readSource),
} satisfies ReadersOf<Candidates>;

export const readPdpOptions = strictObject({
  url: readPdpUrl,
  authenticate: readAuthenticate,
  mapping: questionMapping,
  state: optional(accepting<AnalysisState>('policies, an evaluator or a replica', isObject)),
  candidates: optional(withoutUndefined(withoutUndefined(strictObject(candidateReaders), 'subjects'), 'actions')),
  onError: optional(readFunction as Reader<(error: unknown) => void>),
  onDecision: optional(readFunction as Reader<OnDecision>),
  clock: optional(readClock),
} satisfies ReadersOf<PdpOptions>);

const isDecider = (value: unknown): value is Decider =>
  hasMethod(value, 'evaluate') && hasMethod(value, 'evaluateMany');

/** Finds the decider; that of a client is its `authorization`. */
const readDecider: Reader<Decider> = (value, reading) => {
  const authorization: unknown = Object(value).authorization;
  if (isDecider(authorization)) return authorization;
  return isDecider(value) ? value : refuse(reading, 'an evaluator, a replica, a client or another Decider', value);
};

/** Returns the current evaluator: a state is loaded once, a replica has a new evaluator after each change. */
function evaluatorSource(state: AnalysisState): () => Evaluator {
  if (hasMethod(state, 'evaluator')) return () => readEvaluator(state, {});
  const evaluator = readEvaluator(state, {});
  return () => evaluator;
}

/** The parts of a PDP that searches need. */
function createSearcher(state: AnalysisState, toQuestion: ToQuestion, candidates: Candidates, tokens: PageTokens) {
  const find = evaluatorSource(state);
  // One evaluator for each search, so that its answer follows from one state.
  return (): NonNullable<PdpContext['searcher']> => {
    let current: Evaluator | undefined;
    const evaluator = () => (current ??= find());
    return {
      toQuestion,
      candidates,
      tokens,
      users: () => evaluator().users(),
      actions: () => actionsOf(evaluator()),
      isAllowed: (question) => evaluator().isAllowed(question),
    };
  };
}

/**
 * Creates a policy decision point of the OpenID AuthZEN Authorization API 1.0: a handler that answers evaluations,
 * batches, searches and the metadata.
 *
 * A denial is a 200 with `decision: false`. A request that is not valid is a 400 (413 above 1 MiB), and an error of the
 * decider is a 5xx, never a decision.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option; PolicyError (code `POLICY`) for a state
 *   that does not validate.
 * @example
 * ```ts
 * import { createPdp } from 'arango-services/authzen';
 * import { createEvaluator } from 'arango-services/policy';
 *
 * const evaluator = createEvaluator({ policies: {}, roles: {}, bindings: [] });
 * const pdp = createPdp(evaluator, {
 *   url: 'https://pdp.example.com',
 *   authenticate: (request) => request.headers.get('authorization') === 'Bearer the key of the gateway',
 *   state: evaluator,
 * });
 * export default { fetch: pdp };
 * ```
 */
export function createPdp(decider: PdpDecider, options: PdpOptions): Pdp {
  requireEngine(coders);
  const judge = readArgument(decider, 'decider', readDecider);
  const settings = readFields(options, 'options', readPdpOptions);
  const { url, authenticate, mapping: toQuestion, state, candidates = {} } = settings;
  const { onError, onDecision, clock = Date } = settings;
  const decides = onDecision ? reportingDecider(muted(judge), onDecision) : judge;
  const tokens = new PageTokens(() => clock.now());
  const createSearch = state && createSearcher(state, toQuestion, candidates, tokens);
  const fail = (error: unknown) => {
    quietly(() => onError?.(error));
    const { status, headers, body } = toPlain(error);
    return { status, headers, message: body.message };
  };
  return async (request) => {
    const isAuthentic = authenticate === 'none' ? () => true : () => authenticate(request);
    const context = { url, judge: { decider: decides, toQuestion }, searcher: createSearch?.() };
    const { status, headers, body } = await answerPdp(fetchRequest(request, isAuthentic), context, fail);
    return new Response(request.method === 'HEAD' ? null : body, { status, headers });
  };
}
