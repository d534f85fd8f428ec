/** A request of the log, for copying. */
export interface ShownRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As the log shows it: a JSON value, text, `[20000 bytes]`, or undefined without one. */
  readonly body: unknown;
  readonly user: string | undefined;
  readonly status: number;
  readonly decision: 'Allow' | 'Deny' | undefined;
}

/** True for a body of which the log keeps only the size. */
export const isSizeOnly = (body: unknown): boolean => typeof body === 'string' && /^\[\d+ bytes\]$/.test(body);

/** Headers that a client sets itself, or that belong to one connection. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'accept-language',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'sec-fetch-mode',
  'te',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-arango-services-console',
]);

/** The headers that a copy sends again. */
export const copiedHeaders = ({ headers }: ShownRequest): readonly (readonly [string, string])[] =>
  Object.entries(headers).filter(
    ([name, value]) =>
      !ownHeaders.has(name) && /^[!#$%&'*+\-.^_`|~\w]+$/.test(name) && /^[\t\x20-\x7e\x80-\u{10ffff}]*$/u.test(value),
  );

/** The path and the query, as sent. */
export const targetOf = ({ path, query }: ShownRequest): string => (query === '' ? path : `${path}?${query}`);
