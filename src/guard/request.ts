/** Headers as platforms have them: `Headers`, or a record like that of Node's `IncomingMessage`. */
export type RequestHeaders =
  | { get(name: string): string | null | undefined }
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
  readonly origin: string | undefined;
  /** The value of a header; undefined without it, and null where it came more than once. */
  header(name: string): string | undefined | null;
}

const hasGet = (headers: object): headers is { get(name: string): string | null | undefined } =>
  typeof (headers as { get?: unknown }).get === 'function';

function headerReader(headers: RequestHeaders): ReadRequest['header'] {
  if (hasGet(headers)) return (name) => headers.get(name) ?? undefined;
  return (name) => {
    const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? (value ?? []) : []));
    return values.length > 1 ? null : values[0];
  };
}

/** The origin of an absolute URL, else what `Host` says with the scheme of the socket. */
function originOf({ url }: RequestLike, socket: unknown, host: string | undefined | null): string | undefined {
  if (url !== undefined && URL.canParse(url)) return new URL(url).origin;
  if (!host) return undefined;
  const { encrypted } = Object(socket) as { readonly encrypted?: unknown };
  const text = `${encrypted === true ? 'https' : 'http'}://${host}`;
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

/** Reads a request of any kind; undefined where it is none. */
export function readRequest(request: unknown): ReadRequest | undefined {
  if (typeof request !== 'object' || request === null) return undefined;
  // The cast: what is no request has no headers, and is taken for headers.
  const given = request as RequestLike & { readonly socket?: unknown };
  const whole = typeof given.headers === 'object' && given.headers !== null;
  const header = headerReader(whole ? given.headers : (request as RequestHeaders));
  if (!whole) return { method: undefined, origin: undefined, header };
  const method = typeof given.method === 'string' ? given.method.toUpperCase() : undefined;
  return { method, origin: originOf(given, given.socket, header('host')), header };
}
