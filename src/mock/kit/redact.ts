import type { Exchange } from '../wire/exchange.js';
import type { HeaderSource } from '../wire/http.js';

// What the request log shows: everything but credentials, passwords and tokens.

const longBody = 16_384;
const deepest = 32;
const redacted = '<redacted>';
const secretName = /passw|token|secret|credential|authorization|cookie|jwt|api-?key/i;
// Holds secrets, and names that are none.
const container = /^(?:\w*credentials?|cookies|\w*options)$/i;
// What a token can stand in, its dots encoded or not. Each run is looked at once, so that no text is slow.
const run = /[\w.%-]+/g;
const dot = /\.|%2e/i;
// A name, `=` or `:`, and a value in quotes or up to the next separator. Bounded, so that no text is slow.
const secretPair =
  /((?:passw|token|secret|jwt|api-?key)[\w.-]{0,64}["']?\s{0,8}[=:]\s{0,8})("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^&\r\n]*)/gi;

/** Whether a body is too long for the log, which then only names its size. */
export function isLongBody(length: number): boolean {
  return length > longBody;
}

/** Text without what looks like a token. */
export function redactTokens(text: string): string {
  if (!text.includes('eyJ')) return text;
  return text.replace(run, (part) => {
    const at = part.indexOf('eyJ');
    return at >= 0 && part.slice(at).split(dot, 3).length === 3 ? part.slice(0, at) + redacted : part;
  });
}

/** Text that is no JSON, without what looks like a secret. */
function redactText(text: string): string {
  return redactTokens(text.replace(secretPair, `$1${redacted}`));
}

/** A query without the values of secret parameters. */
export function redactQuery(query: string): string {
  if (query === '') return query;
  const pairs = query.split('&').map((pair) => {
    const at = pair.indexOf('=');
    if (at < 0) return pair;
    const name = new URLSearchParams(pair).keys().next().value ?? '';
    return secretName.test(name) ? `${pair.slice(0, at)}=${redacted}` : pair;
  });
  return redactTokens(pairs.join('&'));
}

/** The headers of a request, those with secret names without their values. */
export function redactHeaders(headers: HeaderSource): Record<string, string> {
  const list: [string, string][] = [];
  for (const [name, value] of headers.entries()) {
    list.push([name, secretName.test(name) ? redacted : redactTokens(value)]);
  }
  return Object.fromEntries(list);
}

/** A copy of a JSON value without its secrets. What is below a secret name is secret, too. */
function redactValue(value: unknown, name: string, depth: number): unknown {
  const secret = secretName.test(name) && !container.test(name);
  if (typeof value === 'string') return secretName.test(name) ? redacted : redactTokens(value);
  if (typeof value !== 'object' || value === null) return secret && value !== null ? redacted : value;
  if (depth === deepest) return '[deeper]';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, name, depth + 1));
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, redactValue(item, secret ? name : key, depth + 1)]));
}

/** The body of a request: JSON, else text, without secrets; only the size of one that is long or binary. */
export function redactBody(exchange: Exchange): unknown {
  const { length } = exchange;
  if (length === 0) return undefined;
  if (isLongBody(length)) return `[${length} bytes]`;
  try {
    const { text } = exchange;
    try {
      // Not the value that a custom route got, which may have changed it.
      return redactValue(JSON.parse(text), '', 0);
    } catch {
      return redactText(text);
    }
  } catch {
    return `[${length} bytes]`;
  }
}
