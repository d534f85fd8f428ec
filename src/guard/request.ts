import { isObject, isPlainObject } from '../lib/values.js';

/** Headers as platforms have them: `Headers`, or a record like that of Node's `IncomingMessage`. */
export type RequestHeaders =
  | {
      /** The value of a header, whatever the case of its name. */
      get(name: string): string | null | undefined;
    }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request: a `Request`, an `IncomingMessage`, or anything else with headers. */
export interface RequestLike {
  readonly headers: RequestHeaders;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

/** What a guard takes as a request; headers alone will do. */
export type GuardedRequest = RequestLike | RequestHeaders;

/** The parts of a request that a guard reads. */
export interface ReadRequest {
  /** In upper case; undefined if it is not known. */
  readonly method: string | undefined;
  /** The origin that the request was sent to; undefined if it is not known. */
  origin(): string | undefined;
  /** The value of a header; undefined without it, and null if it came more than once. */
  header(name: string): string | undefined | null;
  /** All cookies as one header. HTTP/2 may send each of them in a header of its own. */
  cookies(): string;
}

/** What may stand beside the fields that a guard asks for: Node's requests have all of it. */
interface WholeRequest extends RequestLike {
  readonly rawHeaders?: unknown;
  readonly socket?: { readonly encrypted?: unknown } | null | undefined;
}

const hasGet = (headers: RequestHeaders): headers is { get(name: string): string | null | undefined } =>
  typeof headers.get === 'function';

/** The values of a header, by its name in lower case. */
type HeaderValues = (name: string) => readonly string[];

/** A reader of headers; undefined for anything that does not hold them. */
function headerReader(headers: unknown): HeaderValues | undefined {
  if (!isObject(headers)) return undefined;
  // The cast: anything but the two kinds is refused below.
  const given = headers as RequestHeaders;
  // `get` of the platforms throws for a name of HTTP/2.
  if (hasGet(given)) return (name) => (name.startsWith(':') ? [] : [given.get(name) ?? []].flat());
  if (!isPlainObject(given)) return undefined;
  return (name) => {
    const values: string[] = [];
    for (const [key, value] of Object.entries(given)) {
      if (value !== undefined && key.length === name.length && key.toLowerCase() === name)
        values.push(...[value].flat());
    }
    return values;
  };
}

const oneOf = (values: readonly string[]): string | undefined | null => (values.length > 1 ? null : values[0]);

/** Node keeps the first of two `Authorization` headers and says nothing; only its list of all headers has both. */
function cameTwice({ rawHeaders }: WholeRequest, name: string): boolean {
  if (!Array.isArray(rawHeaders)) return false;
  return rawHeaders.filter((text, index) => index % 2 === 0 && String(text).toLowerCase() === name).length > 1;
}

/** The origin of an absolute URL, else what `Host` says with the scheme of the socket. */
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

/** The host that a request was sent to. Over HTTP/2 Node has it by another name. */
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
  // The cast: its fields are looked at before they are used.
  const whole = request as unknown as WholeRequest;
  const { method } = whole;
  return {
    method: typeof method === 'string' ? method.toUpperCase() : undefined,
    origin: () => originOf(whole, hostOf(read)),
    header: (name) => (cameTwice(whole, name) ? null : oneOf(read(name))),
    cookies,
  };
}
