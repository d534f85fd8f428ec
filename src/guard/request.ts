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

/** What a guard reads of a request. */
export interface ReadRequest {
  /** In upper case; undefined where it is not known. */
  readonly method: string | undefined;
  /** Where the request was sent to; undefined where that is not known. */
  origin(): string | undefined;
  /** The value of a header; undefined without it, and null where it came more than once. */
  header(name: string): string | undefined | null;
}

/** What may stand beside the fields that a guard asks for: Node's requests have all of it. */
interface WholeRequest extends RequestLike {
  readonly rawHeaders?: unknown;
  readonly socket?: { readonly encrypted?: unknown } | null | undefined;
}

const hasGet = (headers: RequestHeaders): headers is { get(name: string): string | null | undefined } =>
  typeof headers.get === 'function';

/** A reader of headers; undefined for what holds none. */
function headerReader(headers: unknown): ReadRequest['header'] | undefined {
  if (!isObject(headers)) return undefined;
  // The cast: what is neither of the two kinds is refused below.
  const given = headers as RequestHeaders;
  if (hasGet(given)) return (name) => given.get(name) ?? undefined;
  if (!isPlainObject(given)) return undefined;
  return (name) => {
    const values: string[] = [];
    for (const [key, value] of Object.entries(given)) {
      if (value !== undefined && key.length === name.length && key.toLowerCase() === name)
        values.push(...[value].flat());
    }
    return values.length > 1 ? null : values[0];
  };
}

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

/** Reads a request of any kind; undefined where it is none. */
export function readRequest(request: unknown): ReadRequest | undefined {
  if (!isObject(request)) return undefined;
  if (!isObject(request.headers)) {
    const header = headerReader(request);
    return header && { method: undefined, origin: () => undefined, header };
  }
  // The cast: its fields are looked at before they are used.
  const whole = request as unknown as WholeRequest;
  const read = headerReader(whole.headers);
  if (read === undefined) return undefined;
  const { method } = whole;
  return {
    method: typeof method === 'string' ? method.toUpperCase() : undefined,
    origin: () => originOf(whole, read('host')),
    header: (name) => (cameTwice(whole, name) ? null : read(name)),
  };
}
