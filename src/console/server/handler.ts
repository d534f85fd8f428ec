import { sleep } from '../../base/lib/wait.js';
import type { ByteStream, Bytes } from '../../base/lib/web-types.js';
import { type ConsoleApi, type ConsoleCall, type ConsoleStream, consoleCalls, consoleWire } from '../api.js';
import { ConsoleError, type ConsoleErrorCode } from '../console-error.js';
import { toConsoleError } from '../to-console-error.js';
import { toByteStream } from './byte-stream.js';
import { toEventStream } from './event-stream.js';
import { type Headers, type PageAccess, Refused } from './page-access.js';
import type { PageFile } from './page-files.js';

/** A request below `/_console`, its body unread. */
export interface ConsoleRequest {
  readonly method: string;
  /** The path as it was sent. */
  readonly path: string;
  readonly query: string;
  readonly headers: Headers;
  /** Reads the body; undefined if it is longer than this many bytes, or not UTF-8. */
  body(most: number): Promise<string | undefined>;
}

export interface ConsoleResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | Bytes | ByteStream | undefined;
}

type ConsoleHeaders = ConsoleResponse['headers'];

export type ConsoleHandler = (request: ConsoleRequest) => Promise<ConsoleResponse>;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // For the address of one worker: `page/log/start-worker.ts`.
  'trusted-types arango-services-log',
].join('; ');

const security: ConsoleHeaders = [
  ['cache-control', 'no-store'],
  ['content-security-policy', policy],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
];

const isCall = (name: string): name is ConsoleCall => Object.hasOwn(consoleCalls, name);

const statuses: Readonly<Record<ConsoleErrorCode, number>> = {
  invalid: 400,
  'not-found': 404,
  conflict: 409,
  unsupported: 501,
  failed: 500,
  token: 401,
  key: 401,
  network: 502,
};

/** The maximum size of a call's body in bytes; calls with a file accept longer ones. */
const mostBytes = 1_000_000;
const mostFileBytes = 40_000_000;
const fileCalls: ReadonlySet<string> = new Set(['compareFile', 'fileState'] satisfies ConsoleCall[]);
const mostStreams = 32;
/** Milliseconds before a wrong key is answered, to slow down guessing. */
const wrongKeyMs = 200;

function respond(
  status: number,
  body: ConsoleResponse['body'],
  type: string,
  more: ConsoleHeaders = [],
): ConsoleResponse {
  return { status, headers: [...security, ['content-type', type], ...more], body };
}

const toJson = (status: number, value: unknown, more?: ConsoleHeaders): ConsoleResponse =>
  respond(status, JSON.stringify(value), 'application/json', more);

function toFailure(error: unknown): ConsoleResponse {
  const { code, message, field } = error instanceof Refused ? error.error : toConsoleError(error);
  const status = error instanceof Refused ? error.status : statuses[code];
  return toJson(status, { error: { code, message, field } });
}

const invalid = (status: number, message: string): Refused => new Refused(status, new ConsoleError('invalid', message));

async function readArgument(request: ConsoleRequest, most: number): Promise<unknown> {
  if (request.method !== 'POST') throw invalid(405, 'expected POST');
  if (!/^application\/json *(?:;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw invalid(415, 'expected the content type application/json');
  }
  const text = await request.body(most);
  if (text === undefined) throw invalid(413, `expected at most ${most} bytes of UTF-8`);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(400, 'the body is not valid JSON');
  }
}

/** Returns the key in the body of a session request. */
function keyIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) throw invalid(400, 'expected an object');
  const key = 'key' in body ? body.key : undefined;
  if (key !== undefined && typeof key !== 'string') throw invalid(400, 'key: expected a string');
  return key;
}

export function createHandler(
  api: ConsoleApi,
  access: PageAccess,
  readPage: (name: string) => Promise<PageFile | undefined>,
): ConsoleHandler {
  let streams = 0;

  async function beginSession(request: ConsoleRequest): Promise<ConsoleResponse> {
    access.checkCaller(request.headers);
    const key = keyIn(await readArgument(request, mostBytes));
    try {
      const { token, cookie } = access.begin(request.headers, key);
      return toJson(200, { value: { token } }, cookie === undefined ? [] : [['set-cookie', cookie]]);
    } catch (error) {
      if (key !== undefined) await sleep(wrongKeyMs);
      throw error;
    }
  }

  /** Counts a stream until its signal aborts. */
  function beginStream(signal: AbortSignal): AbortSignal {
    streams += 1;
    signal.addEventListener('abort', () => {
      streams -= 1;
    });
    return signal;
  }

  async function answerStream(name: ConsoleStream): Promise<ConsoleResponse> {
    if (streams >= mostStreams) throw new Refused(503, new ConsoleError('failed', 'too many pages are open'));
    if (name === 'log') {
      const body = await toByteStream((signal) => api.log(beginStream(signal)));
      return respond(200, body, 'application/octet-stream');
    }
    const body = toEventStream((signal) => api.events(beginStream(signal)));
    return respond(200, body, 'application/x-ndjson');
  }

  async function answerCall(request: ConsoleRequest, name: string): Promise<ConsoleResponse> {
    access.checkCall(request.headers);
    const argument = await readArgument(request, fileCalls.has(name) ? mostFileBytes : mostBytes);
    if (name === 'events' || name === 'log') return answerStream(name);
    if (!isCall(name)) throw new Refused(404, new ConsoleError('unsupported', 'there is no such call'));
    // The cast: each call reads its argument itself, whatever it is.
    const value = await (api[name] as (argument: unknown) => Promise<unknown>)(argument);
    return toJson(200, { value });
  }

  async function answerPage(request: ConsoleRequest): Promise<ConsoleResponse> {
    access.checkPage(request.headers);
    const { method, path } = request;
    if (method !== 'GET' && method !== 'HEAD') throw invalid(405, 'expected GET');
    if (`${path}/` === consoleWire.page) return respond(308, '', 'text/plain', [['location', consoleWire.page]]);
    const file = await readPage(path.slice(consoleWire.page.length) || 'index.html');
    if (file === undefined) throw new Refused(404, new ConsoleError('not-found', 'there is no such file'));
    return respond(200, file.content, file.type);
  }

  async function answer(request: ConsoleRequest): Promise<ConsoleResponse> {
    const { path, query } = request;
    // URLs end up in logs and histories, so the console accepts no query.
    if (query !== '') throw invalid(400, 'the console takes no query');
    if (path === consoleWire.session) return beginSession(request);
    if (path.startsWith(consoleWire.call)) return answerCall(request, path.slice(consoleWire.call.length));
    return answerPage(request);
  }

  return (request) => answer(request).catch(toFailure);
}

export const isConsolePath = (path: string): boolean => path === '/_console' || path.startsWith(consoleWire.page);
