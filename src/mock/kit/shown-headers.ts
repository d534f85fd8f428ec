/**
 * The headers of a request, as a handler and the log show them: by lower-case name as fields, and by any spelling of it
 * with `get` and `has`.
 */
export type ShownHeaders = Readonly<Record<string, string>> & Pick<Headers, 'get' | 'has'>;

/** Gives headers `get` and `has`, which neither JSON nor a comparison of the fields sees. */
export function showHeaders(fields: Record<string, string>): ShownHeaders {
  const all = new Map(Object.entries(fields));
  const methods = {
    get: { value: (name: string) => all.get(name.toLowerCase()) ?? null },
    has: { value: (name: string) => all.has(name.toLowerCase()) },
  };
  // The cast: the fields are texts, and the two methods come with the line above.
  return Object.defineProperties(fields, methods) as ShownHeaders;
}

/** A Headers object that has its headers as fields, too, but for those whose names are its methods. */
export function withFields(headers: Headers): Headers & Readonly<Record<string, string>> {
  for (const [name, value] of headers) {
    if (!(name in headers)) Object.defineProperty(headers, name, { value, enumerable: true });
  }
  // The cast: each header that there is has a field by now.
  return headers as Headers & Readonly<Record<string, string>>;
}
