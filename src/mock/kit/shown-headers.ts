/**
 * Request headers as handlers and the log show them: fields by lower-case name, with case-insensitive `get` and `has`.
 */
export type ShownHeaders = Readonly<Record<string, string>> & Pick<Headers, 'get' | 'has'>;

/** Adds `get` and `has`, hidden from JSON and from comparisons. */
export function showHeaders(fields: Record<string, string>): ShownHeaders {
  const all = new Map(Object.entries(fields));
  const methods = {
    get: { value: (name: string) => all.get(name.toLowerCase()) ?? null },
    has: { value: (name: string) => all.has(name.toLowerCase()) },
  };
  // The cast: fields are strings, and this line adds the two methods.
  return Object.defineProperties(fields, methods) as ShownHeaders;
}

/** Adds the headers of a Headers object to it as fields, except those named like its methods. */
export function withFields(headers: Headers): Headers & Readonly<Record<string, string>> {
  for (const [name, value] of headers) {
    if (!(name in headers)) Object.defineProperty(headers, name, { value, enumerable: true });
  }
  // The cast: each header is a field now.
  return headers as Headers & Readonly<Record<string, string>>;
}
