import { closeOnDispose } from '../../base/lib/fallbacks.js';
import {
  asGiven,
  expected,
  fieldsOf,
  listOf,
  optionsOf,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  readFlag,
  readWith,
  refuse,
  transform,
} from '../../base/lib/readers.js';
import { type Base, type EncodedPath, readBase } from '../../base/lib/url.js';
import type { Call } from '../../client/connection/call.js';
import { Connection } from '../../client/connection/connection.js';
import type { ConnectionOptions } from '../../client/connection/connection-options.js';
import { mergeHeaders, readHeaders } from '../../client/connection/headers.js';
import { readEvaluation, readEvaluations } from '../../client/services/authorization/authorization-messages.js';
import { readDecisionText } from '../../client/services/decision-text.js';
import { readCallOptions, type ServiceCallOptions, schemaOf } from '../../client/services/service-client.js';
import { type AccessEvaluation, evaluation } from '../../policy/authzen-protocol/entities.js';
import { mostItems } from '../../policy/authzen-protocol/evaluate.js';
import { evaluationMapping, type MappingOptions, type ToEvaluation } from '../../policy/authzen-protocol/mapping.js';
import { metadataPath } from '../../policy/authzen-protocol/pdp-endpoints.js';
import type { Decider, UserSubject } from '../../policy/model/decider.js';
import type { Decision, EvaluationItem, ManyDecisions } from '../../policy/model/model.js';
import { sharedDecision, sumUp } from '../../policy/model/shared-decision.js';
import { type PdpEndpoints, readMetadata, usualEndpoints } from './metadata.js';

/** Options of `createPdpClient`: the PDP's address, and options of a `Connection`. */
export interface PdpClientOptions
  extends Pick<
    ConnectionOptions,
    | 'headers'
    | 'credentials'
    | 'timeout'
    | 'signal'
    | 'retry'
    | 'fetch'
    | 'ky'
    | 'transport'
    | 'observe'
    | 'clock'
    | 'graceMs'
    | 'deploymentId'
  > {
  /** The identifier of the PDP, which leads to its metadata: `https://pdp.example.com`. */
  readonly url: string | URL;
  /** Options of the default mapping, or a function: undefined is a denial, and nothing is sent. */
  readonly mapping?: MappingOptions | ToEvaluation | undefined;
}

/** A client of a PDP. `createGuard` takes it with the option `authenticate`. */
export interface PdpClient extends Decider, AsyncDisposable {
  /**
   * Asks the PDP; only `decision: true` allows. (POST `/access/v1/evaluation`)
   * @throws Every error of `Connection.send`; a failure is never a decision.
   */
  evaluate(request: UserSubject & EvaluationItem, options?: ServiceCallOptions): Promise<Decision>;
  /**
   * Asks for each item with the semantic `execute_all`, up to 1 000 in a request. An answer with another number of
   * decisions is a SchemaError. (POST `/access/v1/evaluations`)
   */
  evaluateMany(
    request: UserSubject & { readonly items: readonly EvaluationItem[] },
    options?: ServiceCallOptions,
  ): Promise<ManyDecisions>;
  /** Rejects further calls, and closes the transport after those in flight, which end within `graceMs`. */
  close(): Promise<void>;
}

const allowed = sharedDecision('Allow', 'Access Granted');
const denied = sharedDecision('Deny', 'Permission denied');
const unmapped = sharedDecision('Deny', 'The mapping has no AuthZEN question for it');

/** Reads a decision: only a boolean is one. */
const decision: Reader<Decision> = transform(fieldsOf({ decision: readFlag }), (read) =>
  read.decision ? allowed : denied,
);

/** Reads the decisions on `count` items. */
const decisions = (count: number): Reader<readonly Decision[]> =>
  transform(fieldsOf({ evaluations: listOf(decision) }), ({ evaluations }, reading) => {
    if (evaluations.length !== count) {
      reading.at('evaluations', evaluations, (items) => refuse(reading, `${count} decisions`, items));
    }
    return evaluations;
  });

const names: ReadersOf<PdpClientOptions> = {
  url: asGiven,
  mapping: asGiven,
  headers: asGiven,
  credentials: asGiven,
  timeout: asGiven,
  signal: asGiven,
  retry: asGiven,
  fetch: asGiven,
  ky: asGiven,
  transport: asGiven,
  observe: asGiven,
  clock: asGiven,
  graceMs: asGiven,
  deploymentId: asGiven,
};
const readNames = optionsOf(names);

const readIdentifier = transform(readBase, (base, reading) =>
  base.query === '' ? base : reading.report<Base>('must not hold a query'),
);

/** Checks that the subject is a user, as for every `Decider`. */
function readUser({ user, roles }: { readonly [Name in keyof UserSubject]?: UserSubject[Name] | undefined }) {
  if (user === undefined) throw expected('user', 'a user', user);
  return roles === undefined ? { user } : { user, roles };
}

/** The endpoint of a call, and its options. */
interface Target extends EncodedPath {
  readonly headers: ServiceCallOptions['headers'];
  readonly limits: Omit<ServiceCallOptions, 'headers'>;
}

class AuthZenClient implements PdpClient {
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;
  readonly #base: Base;
  readonly #toEvaluation: ToEvaluation;
  readonly #connection: Connection;
  #endpoints: PdpEndpoints | undefined;

  constructor(options: PdpClientOptions) {
    // Only the names are read here; `Connection` reads the values of its own options.
    const { url, mapping, ...rest } = readFields(options, 'options', readNames);
    this.#base = readArgument(url, 'url', readIdentifier);
    this.#toEvaluation = readArgument(mapping, 'mapping', evaluationMapping);
    this.#connection = new Connection({ ...(rest as Partial<PdpClientOptions>), url: this.#base.origin });
    closeOnDispose(this);
  }

  async evaluate(request: UserSubject & EvaluationItem, options?: ServiceCallOptions): Promise<Decision> {
    const { subject, asked } = readFields(request, 'request', readEvaluation);
    // The cast: the reader fixes the type of an item.
    const mapped = this.#map(readUser(subject), asked as EvaluationItem);
    return mapped ? this.#ask(await this.#find('evaluation', options), mapped, decision) : unmapped;
  }

  async evaluateMany(
    request: UserSubject & { readonly items: readonly EvaluationItem[] },
    options?: ServiceCallOptions,
  ): Promise<ManyDecisions> {
    const { subject, asked } = readFields(request, 'request', readEvaluations);
    const user = readUser(subject);
    const evaluations = asked.items.map((item) => this.#map(user, item));
    const sent = evaluations.filter((mapped) => mapped !== undefined);
    const parts: Promise<readonly Decision[]>[] = [];
    // The endpoint is found once, before the batches, which would each read the metadata.
    const target = sent.length > 0 ? await this.#find('evaluations', options) : undefined;
    for (let start = 0; target && start < sent.length; start += mostItems) {
      const part = sent.slice(start, start + mostItems);
      const body = { evaluations: part, options: { evaluations_semantic: 'execute_all' } };
      parts.push(this.#ask(target, body, decisions(part.length)));
    }
    const answers = (await Promise.all(parts)).flat().values();
    // There is a decision for each evaluation that was sent: the readers have counted them.
    return sumUp(evaluations.map((mapped) => (mapped ? (answers.next().value as Decision) : unmapped)));
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #map(subject: UserSubject, item: EvaluationItem): AccessEvaluation | undefined {
    const toEvaluation = this.#toEvaluation;
    const mapped = toEvaluation({ ...subject, ...item });
    if (mapped === undefined || readWith(mapped, evaluation).issues.length === 0) return mapped;
    throw new TypeError('mapping: expected { subject, action, resource, context? } or undefined');
  }

  async #ask<T>({ path, query, headers, limits }: Target, body: object, reader: Reader<T>): Promise<T> {
    const usual = new Map([['x-request-id', globalThis.crypto?.randomUUID?.() ?? `${Math.random()}`]]);
    const { body: answer } = await this.#connection.send({
      ...this.#call('POST', { path, query }, reader, limits),
      body,
      confidential: [],
      // A request id that the caller has set wins.
      headers: mergeHeaders(usual, headers && readArgument(headers, 'headers', readHeaders)),
    });
    // Trust boundary: the schema has validated the body.
    return answer as T;
  }

  /** Reads the options of a call, and finds its endpoint. */
  async #find(kind: keyof PdpEndpoints, options: unknown): Promise<Target> {
    const { headers, ...limits } = readCallOptions(options);
    this.#endpoints ??= await this.#findAll(limits);
    return { ...this.#endpoints[kind], headers, limits };
  }

  /** Finds the endpoints: those of the metadata or, without metadata, those of the standard. */
  async #findAll(limits: ServiceCallOptions): Promise<PdpEndpoints> {
    const path = metadataPath + this.#base.prefix;
    const call = this.#call('GET', { path, query: '' }, readMetadata(this.#base), { ...limits, allowStatus: [404] });
    // Metadata is public, so it needs no token.
    const { ok, body } = await this.#connection.withCredentials(undefined).send(call);
    // Trust boundary: the schema has validated the body.
    return ok ? (body as PdpEndpoints) : usualEndpoints(this.#base);
  }

  #call(method: string, target: Pick<Call, 'path' | 'query'>, reader: Reader<unknown>, limits: object): Call {
    return {
      method,
      base: 'root',
      ...target,
      readOnly: true,
      service: { readText: readDecisionText },
      options: { ...limits, schema: schemaOf(reader), responseType: 'json' },
    };
  }
}

/**
 * Creates a client of any PDP of the OpenID AuthZEN Authorization API 1.0. It is a `Decider`, so a guard, or other code
 * that takes one, can ask the PDP.
 *
 * The endpoints come from the PDP's metadata, which is read once; for a PDP without metadata they are the standard's
 * defaults. Metadata that names another PDP, or endpoints of another origin, is a SchemaError. Timeouts, retries and
 * secrets are handled as by `Connection`.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option.
 * @example
 * ```ts
 * import { credentials } from 'arango-services';
 * import { createPdpClient } from 'arango-services/authzen';
 *
 * const pdp = createPdpClient({
 *   url: 'https://pdp.example.com',
 *   credentials: credentials.bearer('the key of this service'),
 *   timeout: 2_000,
 * });
 * const { allowed } = await pdp.evaluate({ user: 'alice', action: 'orders:read', resource: 'orders:7' });
 * ```
 */
export const createPdpClient = (options: PdpClientOptions): PdpClient => new AuthZenClient(options);
