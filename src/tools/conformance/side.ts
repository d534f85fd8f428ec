import { type CallInfo, isArangoServicesError } from '../../base/arango-services-error.js';
import { NetworkError, ParseError, TimeoutError } from '../../base/errors.js';
import { readRetryAfter } from '../../base/lib/backoff.js';
import { isObject } from '../../base/lib/values.js';
import { race, scopedController } from '../../base/lib/wait.js';
import type { Client } from '../../client/client.js';
import type { CallEvent } from '../../client/connection/connection-options.js';
import { readUpTo } from '../../client/connection/response.js';
import type { Transport, TransportRequest, TransportResponse } from '../../client/connection/transport.js';
import type { Mock } from '../../mock/index.js';
import { type DeploymentPart, partOf } from './checks/check.js';
import type { ConformanceClock, Pace } from './pace.js';
import { bodyText, headerPairs, parseBody, type QuestionAnswer, type QuestionRequest } from './question-exchange.js';

/** Answers questions: the deployment, or a mock. Calls `sending` before each time that the request is sent. */
export type Ask = (request: QuestionRequest, sending?: () => void) => Promise<QuestionAnswer>;

/** The headers of answers that are compared. */
const compared = ['content-type', 'www-authenticate', 'location'] as const;

const withoutQuery = (path: string): string => path.split('?')[0] ?? path;

/** The longest wait for one answer. */
const answerMs = 30_000;

/** The longest body of an answer, in bytes: of lists of names and bindings. */
const mostBytes = 16_777_216;

/** The most times that a question is asked again which was not answered because of too many requests. */
const mostAgain = 5;
const longestBusyMs = 30_000;

/** The pause that a busy deployment, or a proxy in front of it, asks for; undefined for other answers. */
function busyMs({ status, headers }: Pick<TransportResponse, 'status' | 'headers'>): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const ms = readRetryAfter(headers.get('retry-after'));
  return ms === undefined ? undefined : Math.min(ms, longestBusyMs);
}

/** An answer, and the pause that it asks for if the deployment was too busy for another one. */
type Exchanged = { readonly answer: QuestionAnswer; readonly busyMs: number | undefined };

type Received = { readonly status: number; readonly headers: { get(name: string): string | null | undefined } };

function toAnswer({ status, headers: received }: Received, text: string, cookies: readonly string[]): QuestionAnswer {
  const headers = Object.fromEntries(compared.map((name) => [name, received.get(name) ?? null]));
  return { status, headers: { ...headers, 'set-cookie': cookies }, body: parseBody(text) };
}

/** Reads the body of a deployment's answer as text; throws ParseError if it is too long. */
async function readText(response: TransportResponse, call: CallInfo): Promise<string> {
  const bytes = await readUpTo(response, mostBytes + 1);
  if (bytes.length <= mostBytes) return new TextDecoder().decode(bytes);
  throw new ParseError(call, response.status, '', { problem: `answered with a body of more than ${mostBytes} bytes` });
}

/** The cookies that an answer sets; transports without `getSetCookie` join them. */
function cookiesOf({ headers }: Received): string[] {
  const { getSetCookie } = headers as Partial<Headers>;
  return getSetCookie === undefined ? [headers.get('set-cookie') ?? []].flat() : getSetCookie.call(headers);
}

/** Asks a mock. */
export const askMock =
  (mock: Mock): Ask =>
  async (request, sending) => {
    sending?.();
    const { method, path } = request;
    const body = bodyText(request) ?? null;
    const init = { method, headers: withType(request), body, redirect: 'manual' } as const;
    const response = await mock.fetch(`http://mock.test${path}`, init);
    return toAnswer(response, await response.text(), response.headers.getSetCookie());
  };

/** The headers of a question; JSON has its content type unless the question sets another one. */
function withType(request: QuestionRequest): [string, string][] {
  const headers = headerPairs(request);
  const isTyped = headers.some(([name]) => name === 'content-type');
  return bodyText(request) === undefined || isTyped ? headers : [...headers, ['content-type', 'application/json']];
}

/** The part of a client that the check needs. */
export type CheckedClient = Pick<Client, 'with' | 'absoluteRoute' | 'freshToken'>;

/** The addresses and the transport of a client. */
interface Addresses {
  readonly transport: Transport;
  /** The headers of the client's calls, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bases: Readonly<Record<DeploymentPart, string | undefined>>;
}

/** The base URL of a call, by its path below it. */
const baseOf = ({ origin, path }: CallEvent, below: string): string | undefined =>
  path.endsWith(below) ? origin + path.slice(0, -below.length) : undefined;

/** Learns the addresses of a client from two calls without credentials, and from one that is not sent. */
async function readAddresses(client: CheckedClient, pace: Pace, signal?: AbortSignal): Promise<Addresses> {
  const events: CallEvent[] = [];
  const plain = client.with({
    credentials: undefined,
    retry: 0,
    timeout: answerMs,
    signal,
    observe: (event) => void events.push(event),
  });
  let root: { transport: Transport; url: string; request: TransportRequest } | undefined;
  const unsent = plain.absoluteRoute('/_identity').over((transport) => ({
    send: async (url, request) => {
      root = { transport, url, request };
      throw new Error('not sent');
    },
  }));
  await unsent?.get().catch(() => undefined);
  if (root === undefined) throw new NetworkError({}, 'the client is closed');
  const { url, request, transport } = root;
  const learn = async (call: () => Promise<unknown>, below: string): Promise<string | undefined> => {
    events.length = 0;
    await pace.turn(signal);
    // An answer with an error has an address, too; without an answer there is nothing to ask.
    await call().catch((error: unknown) => {
      if (!isArangoServicesError(error) || ['NETWORK', 'TIMEOUT', 'ABORTED'].includes(error.code)) throw error;
    });
    const [event] = events;
    return event && baseOf(event, below);
  };
  return {
    transport,
    headers: request.headers,
    bases: {
      root: new URL(url).href.replace(/\/_identity(?=\?|$)/, ''),
      integration: await learn(() => plain.authentication.validate('not-a-token'), '/_integration/authn/v1/validate'),
      management: await learn(
        () => plain.authorization.policies.get('verify'),
        '/_management/permissions/policy/verify',
      ),
    },
  };
}

/** A deployment that answers questions. */
export interface CheckedDeployment {
  /** Asks, unless the run was stopped. */
  readonly ask: Ask;
  /** Asks also after the run was stopped, to remove what it wrote. */
  readonly askAnyway: Ask;
  /** The reasons why parts of the deployment cannot be asked, by part. */
  readonly unreachable: ReadonlyMap<DeploymentPart, string>;
}

/** Joins a base URL, which may have a query, and the path of a question. */
function join(base: string, path: string): string {
  const [address = '', query] = base.split('?');
  if (query === undefined) return address.replace(/\/$/, '') + path;
  return `${address.replace(/\/$/, '')}${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** True for the 404 of a database or of another server, which is not that of the services. */
const isElsewhere = ({ status, body }: QuestionAnswer): boolean =>
  status === 404 && !(isObject(body) && Array.isArray(body.details));

const unservedReasons: Readonly<Record<DeploymentPart, string>> = {
  integration: 'the address does not serve /_integration, as behind the gateway: name the services (--integration-url)',
  management: 'the address does not serve /_management',
  root: 'the address serves neither /_identity nor /_login: it is not the gateway',
};

const probes: Readonly<Record<Exclude<DeploymentPart, 'root'>, QuestionRequest>> = {
  integration: { method: 'POST', path: '/_integration/authn/v1/validate', body: {} },
  management: { method: 'POST', path: '/_management/permissions/validate', body: {} },
};

/** The short names of the gateway. The services themselves answer them with 404. */
const shortNames: readonly QuestionRequest[] = [
  { method: 'GET', path: '/_identity' },
  { method: 'POST', path: '/_login', body: {} },
];

/** Asks which parts of the platform do not answer, with the reasons. */
async function findUnreachable(bases: Addresses['bases'], ask: Ask): Promise<ReadonlyMap<DeploymentPart, string>> {
  const unreachable = new Map<DeploymentPart, string>();
  for (const part of ['integration', 'management'] as const) {
    const isMissing = bases[part] === undefined || isElsewhere(await ask(probes[part]));
    if (isMissing) unreachable.set(part, unservedReasons[part]);
  }
  let served = false;
  for (const request of shortNames) served ||= (await ask(request)).status !== 404;
  if (!served) unreachable.set('root', unservedReasons.root);
  return unreachable;
}

/** Opens a client's deployment for questions; throws NetworkError, TimeoutError or AbortError if it does not answer. */
export async function openDeployment(
  client: CheckedClient,
  pace: Pace,
  clock: ConformanceClock,
  signal?: AbortSignal,
): Promise<CheckedDeployment> {
  const { transport, headers, bases } = await readAddresses(client, pace, signal);
  const exchange = async (request: QuestionRequest, stopped: AbortSignal | undefined): Promise<Exchanged> => {
    const { method, path } = request;
    const base = bases[partOf(path)];
    if (base === undefined) throw new NetworkError({ method, path }, unservedReasons[partOf(path)]);
    const body = bodyText(request);
    using call = scopedController(...(stopped ? [stopped] : []));
    const { signal } = call;
    const overdue = (): TimeoutError => {
      call.abort();
      return new TimeoutError({ method, path: withoutQuery(path) }, answerMs);
    };
    const send = async (): Promise<Exchanged> => {
      const received = await transport.send(join(base, path), {
        method,
        headers: { ...headers, ...Object.fromEntries(withType(request)) },
        ...(body !== undefined && { body }),
        redirect: 'manual',
        signal,
      });
      const text = await readText(received, { method, path: withoutQuery(path) });
      return { answer: toAnswer(received, text, cookiesOf(received)), busyMs: busyMs(received) };
    };
    return await race(send(), { ms: answerMs, overdue });
  };
  const asking =
    (stopped: AbortSignal | undefined): Ask =>
    async (request, sending) => {
      try {
        for (let again = 0; ; again++) {
          await pace.turn(stopped);
          sending?.();
          const { answer, busyMs: pause } = await exchange(request, stopped);
          if (pause === undefined || again === mostAgain) return answer;
          await clock.sleep(pause, stopped);
        }
      } catch (error) {
        stopped?.throwIfAborted();
        const { method, path } = request;
        if (isArangoServicesError(error)) throw error;
        // The runtime's message may quote the URL and its query.
        throw new NetworkError({ method, path: withoutQuery(path) });
      }
    };
  const ask = asking(signal);
  return { ask, askAnyway: asking(undefined), unreachable: await findUnreachable(bases, ask) };
}
