import { isLarger } from '../../base/lib/text/is-larger.js';
import type { Platform } from '../platform.js';
import { admit, bearerToken, readMetadata } from '../services/presented-tokens.js';
import {
  DatabaseFailure,
  dropped,
  type Family,
  failureResponse,
  type HandleRequest,
  isFailure,
  type NeutralRequest,
  type NeutralResponse,
  ServiceFailure,
} from '../wire/http.js';
import { callWatchers } from '../wire/mock-events.js';
import { Exchange } from '../wire/mock-exchange.js';
import { isGuarded, isIntegration, routeHint } from '../wire/path-rules.js';
import { CurrentPlatform, checkEpoch } from './current-platform.js';
import type { Endpoint } from './endpoints.js';
import { lookUp, takesStream } from './lookup.js';
import { type Router, unknown } from './router.js';

/** A response, at once or later. */
type Pending = NeutralResponse | Promise<NeutralResponse>;

/** A scripted fault for a request. */
export interface RequestFault {
  readonly delayMs: number | undefined;
  /** The time in which the whole answer must have been sent. */
  readonly timeoutMs: number | undefined;
  /** The scripted answer; undefined if the fault only delays. */
  response(family: Family): NeutralResponse | undefined;
}

/** The source of scripted faults for requests. */
export interface RequestFaults {
  /** True if any fault is left. If none is, a request is answered without a call of `take`. */
  active(): boolean;
  take(request: NeutralRequest): RequestFault | undefined;
  /** Waits in real time. A signal that aborts, or the end of the mock, ends the wait early. */
  wait(ms: number, signals: readonly AbortSignal[]): Promise<void>;
  /** Answers 504 or cuts the body off after this time. A signal that aborts ends it early. */
  limit(ms: number, pending: Promise<NeutralResponse>, signal: AbortSignal): Promise<NeutralResponse>;
}

/** Receives answered requests. */
export interface AnswerRecorder {
  /** Called once for each request answered in the epoch in which it began. */
  record(exchange: Exchange, status: number): void;
}

/** The error if no endpoint matches. Source: docs/wire.md, "Routing"; docs/mock.md, "Endpoints". */
function noEndpointError({ family, request: { method, path } }: Exchange, isKnown: boolean): Error {
  if (family === 'services')
    return isKnown ? new ServiceFailure(12, 'Method Not Allowed') : new ServiceFailure(5, 'Not Found');
  const status = isKnown ? 405 : 404;
  const what = isKnown ? 'method not supported' : `unknown path '${path}': this is a mock of services, not a database`;
  return new DatabaseFailure(status, status, what + routeHint(method, path));
}

/** The words of gRPC. The adapters read one byte more than the limit. */
const tooLarge = (bytes: number): Error =>
  new ServiceFailure(8, `grpc: received message larger than max (${bytes + 1} vs. ${bytes})`);

/** Refuses an answer of the services that gRPC does not carry. */
function carried(response: NeutralResponse): NeutralResponse {
  // The cast: the services answer with text.
  if (isLarger(response.body as string | undefined, 4_194_304)) throw tooLarge(4_194_304);
  return response;
}

/** Resolves with the finished answer, or drops the connection as soon as the epoch of the request ends. */
function untilCut(
  exchange: Exchange,
  response: Promise<NeutralResponse>,
  finish: (settled: NeutralResponse) => NeutralResponse,
): Promise<NeutralResponse> {
  return new Promise((resolve) => {
    let watched: AbortSignal;
    const watch = (): void => {
      watched = exchange.epoch;
      if (watched.aborted) resolve(dropped);
      else watched.addEventListener('abort', watch, { once: true });
    };
    watch();
    void response.then((settled) => {
      watched.removeEventListener('abort', watch);
      resolve(finish(settled));
    });
  });
}

/** Loads the gateway, which only requests to hosted services and those with cookies pass. */
const throughGateway: typeof import('../gateway/pass.js').pass = async (...args) =>
  (await import('../gateway/pass.js')).pass(...args);

/**
 * Creates the entry point of all adapters, which never throws or rejects. A request passes, in this order: a scripted
 * fault, the gateway and the login of the database (if these stand before the endpoint), and the endpoint (`serve`).
 * Its response is recorded (`finish`), unless the mock was restored meanwhile.
 */
export function createHandle(
  platform: Platform,
  router: Router<Endpoint>,
  faults: RequestFaults,
  recorder: AnswerRecorder,
): HandleRequest {
  const { limits, gateway, authentication } = platform.settings;
  const { bodyBytes } = limits;

  function serve(exchange: Exchange): Pending {
    const { request, family } = exchange;
    if (isLarger(request.body, bodyBytes) && !takesStream(router, request.method, request.path)) {
      if (family === 'services') throw tooLarge(bodyBytes);
      throw new DatabaseFailure(413, 413, `larger than limits.bodyBytes, ${bodyBytes}`);
    }
    const isGateway = family === 'services' && platform.fidelity.gatewayHeaders;
    const match = exchange.isRouted ? lookUp(router, exchange, isGateway) : unknown;
    exchange.params = match.params;
    const ours = new CurrentPlatform(exchange, platform);
    const run = (): Pending => {
      checkEpoch(exchange);
      if (match.target === undefined) throw noEndpointError(exchange, match.known);
      if (isGateway) readMetadata(exchange);
      const response = match.target.serve(exchange, ours);
      if (family === 'database') return response;
      return response instanceof Promise ? response.then(carried) : carried(response);
    };
    const passOn = (): Pending => {
      if (family === 'services' || match.target?.open === true || !isGuarded(request.path)) return run();
      const admitted = admit(exchange, ours);
      return admitted === undefined ? run() : admitted.then(run);
    };
    const access = match.target?.access;
    const isPassed =
      access !== undefined ||
      ((authentication.mode === 'SSO' || request.headers.get('cookie')) &&
        !match.target?.direct &&
        !(family === 'services' && isIntegration(request.path)));
    return isPassed ? throughGateway(exchange, ours, access).then((refused) => refused ?? passOn()) : passOn();
  }

  function finish(exchange: Exchange, response: NeutralResponse): NeutralResponse {
    if (!exchange.began.aborted) {
      callWatchers(platform, exchange, { kind: 'ended', response });
      const token = bearerToken(exchange.request.headers.get('authorization') ?? '');
      exchange.claims = platform.tokens.claimsOf(token?.trim() ?? '');
      recorder.record(exchange, response.status);
    } else if (exchange.epoch.aborted) return dropped;
    return exchange.request.method === 'HEAD' ? { ...response, body: undefined } : response;
  }

  function failed(exchange: Exchange, error: unknown): NeutralResponse {
    if (!isFailure(error)) exchange.thrown = error;
    return failureResponse(error, exchange.family);
  }

  function answer(exchange: Exchange): Pending {
    try {
      const response = serve(exchange);
      return response instanceof Promise ? response.catch((error) => failed(exchange, error)) : response;
    } catch (error) {
      return failed(exchange, error);
    }
  }

  async function answerWithFault(exchange: Exchange, signal: AbortSignal | undefined): Promise<NeutralResponse> {
    const fault = faults.take(exchange.request);
    if (fault === undefined) return answer(exchange);
    const { began } = exchange;
    const { delayMs, timeoutMs } = fault;
    const response = async (): Promise<NeutralResponse> => {
      if (delayMs !== undefined) await faults.wait(delayMs, signal === undefined ? [began] : [began, signal]);
      return fault.response(exchange.family) ?? answer(exchange);
    };
    return timeoutMs === undefined ? response() : faults.limit(timeoutMs, response(), began);
  }

  return (request, signal, began = platform.epochs.current()) => {
    if (began.aborted) return dropped;
    const isRouted = (gateway.integration && !request.atGateway) || !isIntegration(request.path);
    const exchange = new Exchange(request, isRouted, began, signal);
    const response = faults.active() ? answerWithFault(exchange, signal) : answer(exchange);
    return response instanceof Promise
      ? untilCut(exchange, response, (settled) => finish(exchange, settled))
      : finish(exchange, response);
  };
}
