import { isObject, isPlainObject } from '../../base/lib/values.js';

/** Headers in any runtime: `Headers`, or a record like that of Node's `IncomingMessage`. */
export type RequestHeaders =
  | {
      /** Returns the value of a header; names are case-insensitive. */
      get(name: string): string | null | undefined;
    }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request: a `Request`, an `IncomingMessage`, or anything else with headers. */
export interface RequestLike {
  readonly headers: RequestHeaders;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

/** The request for a guard; headers alone are enough. */
export type GuardedRequest = RequestLike | RequestHeaders;

/** The parts of a request that a guard reads. */
export interface ReadRequest {
  /** In upper case; undefined if unknown. */
  readonly method: string | undefined;
  /** The origin that the request was sent to; undefined if unknown. */
  origin(): string | undefined;
  /** The value of a header; undefined if absent, null if it was sent more than once. */
  header(name: string): string | undefined | null;
  /** All cookies as one header. HTTP/2 may send each in its own header. */
  cookies(): string;
}

/** Further fields that a request may have: Node's requests have all of them. */
interface WholeRequest extends RequestLike {
  readonly rawHeaders?: unknown;
  readonly socket?: { readonly encrypted?: unknown } | null | undefined;
}

const hasGet = (headers: RequestHeaders): headers is { get(name: string): string | null | undefined } =>
  typeof headers.get === 'function';

/** Returns the values of a header, by its lower-case name. */
type HeaderValues = (name: string) => readonly string[];

/** Creates a reader of headers; undefined if the value does not hold headers. */
function headerReader(headers: unknown): HeaderValues | undefined {
  if (!isObject(headers)) return undefined;
  // The cast: anything else is rejected below.
  const fields = headers as RequestHeaders;
  // `Headers.get` throws for the pseudo-headers of HTTP/2.
  if (hasGet(fields)) return (name) => (name.startsWith(':') ? [] : [fields.get(name) ?? []].flat());
  if (!isPlainObject(fields)) return undefined;
  return (name) => {
    const values: string[] = [];
    for (const [key, value] of Object.entries(fields)) {
      if (value !== undefined && key.length === name.length && key.toLowerCase() === name)
        values.push(...[value].flat());
    }
    return values;
  };
}

const oneOf = (values: readonly string[]): string | undefined | null => (values.length > 1 ? null : values[0]);

/** True for a duplicate header. Node silently keeps the first `Authorization`; only `rawHeaders` has both. */
function cameTwice({ rawHeaders }: WholeRequest, name: string): boolean {
  if (!Array.isArray(rawHeaders)) return false;
  return rawHeaders.filter((text, index) => index % 2 === 0 && String(text).toLowerCase() === name).length > 1;
}

/** The origin of an absolute URL, else that of `Host` with the socket's scheme. */
function originOf({ url, socket }: WholeRequest, host: string | undefined | null): string | undefined {
  const scheme = socket?.encrypted === true ? 'https' : 'http';
  const text = typeof url === 'string' && /^https?:\/\//i.test(url) ? url : `${scheme}://${host}`;
  return host || text === url ? parseOrigin(text) : undefined;
}

/** The origin of an http or https URL. */
export function parseOrigin(text: string): string | undefined {
  const { origin, protocol } = URL.canParse(text) ? new URL(text) : {};
  return protocol === 'http:' || protocol === 'https:' ? origin : undefined;
}

/** The host that a request was sent to. Over HTTP/2, Node has it as `:authority`. */
function hostOf(read: HeaderValues): string | undefined | null {
  const host = oneOf(read('host'));
  return host === undefined ? oneOf(read(':authority')) : host;
}

/** Reads a request of any kind; undefined for anything else. */
export function readRequest(request: unknown): ReadRequest | undefined {
  if (!isObject(request)) return undefined;
  const isWhole = isObject(request.headers);
  const read = headerReader(isWhole ? request.headers : request);
  if (read === undefined) return undefined;
  const cookies = () => read('cookie').join('; ');
  if (!isWhole) {
    return { method: undefined, origin: () => undefined, header: (name) => oneOf(read(name)), cookies };
  }
  // The cast: fields of the request are checked before use.
  const whole = request as unknown as WholeRequest;
  const { method } = whole;
  return {
    method: typeof method === 'string' ? method.toUpperCase() : undefined,
    origin: () => originOf(whole, hostOf(read)),
    header: (name) => (cameTwice(whole, name) ? null : oneOf(read(name))),
    cookies,
  };
}
