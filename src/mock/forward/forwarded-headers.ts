import { isCredentialHeader } from '../../base/secrets/names.js';

/** A header: its name in lower case, and its value. */
export type Header = readonly [name: string, value: string];

/** The headers in a list of names and values in turn, as Node has it. */
export const headersOf = (raw: readonly string[]): Header[] =>
  raw.flatMap((name, i): Header[] => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1] ?? '']] : []));

/** Headers for one connection only, which a proxy does not pass on (RFC 9110, 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
]);

/** Names that a caller cannot remove from the request by naming them in `connection`, beside its credentials. */
const fixedNames: ReadonlySet<string> = new Set(['host', 'content-length', 'content-type']);

/** Removes the hop-by-hop headers, and the headers that the header `connection` names. */
export function endToEnd(headers: Iterable<Header>): Header[] {
  const all = [...headers];
  const named = all.flatMap(([name, value]) => (name === 'connection' ? value.toLowerCase().split(/[\s,]+/) : []));
  const dropped = new Set(named.filter((name) => !fixedNames.has(name) && !isCredentialHeader(name)));
  return all.filter(([name]) => !hopByHop.has(name) && !dropped.has(name));
}
