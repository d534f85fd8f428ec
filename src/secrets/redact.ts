import { isSecretName, isSecretTextName } from './names.js';
import { decodePercent, isOpaque, redacted, redactText, redactTextBody } from './redact-text.js';

// What the request log shows: everything but credentials, passwords and tokens.

const longBody = 16_384;
const deepest = 32;

/** Whether a body is too long for the log, which then only names its size. */
export function isLongBody(length: number): boolean {
  return length > longBody;
}

/** A query without the values of secret parameters, and without values that hold secrets themselves. */
export function redactQuery(query: string): string {
  if (query === '') return query;
  const pairs = query.split('&').map((pair) => {
    const at = pair.indexOf('=');
    const name = at < 0 ? '' : pair.slice(0, at);
    const value = decodePercent(pair.slice(at + 1));
    const secret = at >= 0 && isSecretTextName(decodePercent(name));
    // JSON has names of its own.
    const shown = (/^\s*[[{]/.test(value) ? redactTextBody : redactText)(value);
    if (secret || isOpaque(value) || shown !== value) return at < 0 ? redacted : `${name}=${redacted}`;
    return pair;
  });
  return pairs.join('&');
}

/** The headers of a request, those with secret names without their values. */
export function redactHeaders(headers: { entries(): Iterable<[string, string]> }): Record<string, string> {
  const list: [string, string][] = [];
  for (const [name, value] of headers.entries()) {
    list.push([name, isSecretTextName(name) || isOpaque(value) ? redacted : redactText(value)]);
  }
  return Object.fromEntries(list);
}

/** A text inside a JSON value; one that is JSON itself is looked through as such. */
function redactString(text: string, depth: number): string {
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(redactValue(JSON.parse(text), '', depth + 1));
    } catch {
      // It only looks like JSON.
    }
  }
  return redactText(text);
}

/** A copy of a JSON value without its secrets. What is below a secret name is secret, too. */
function redactValue(value: unknown, name: string, depth: number): unknown {
  const secret = isSecretName(name);
  if (typeof value === 'string') return isSecretTextName(name) ? redacted : redactString(value, depth);
  if (typeof value !== 'object' || value === null) return secret && value !== null ? redacted : value;
  if (depth >= deepest) return '[deeper]';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, name, depth + 1));
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, redactValue(item, secret ? name : key, depth + 1)]));
}

/** A body as it arrived. `text` throws if the bytes are not UTF-8. */
interface BodyToShow {
  readonly length: number;
  readonly text: string;
}

/** The body of a request: JSON, else text, without secrets; only the size of one that is long or binary. */
export function redactBody(body: BodyToShow): unknown {
  const { length } = body;
  if (length === 0) return undefined;
  if (isLongBody(length)) return `[${length} bytes]`;
  try {
    const { text } = body;
    try {
      // Not the value that a custom route got, which may have changed it.
      return redactValue(JSON.parse(text), '', 0);
    } catch {
      return redactTextBody(text);
    }
  } catch {
    return `[${length} bytes]`;
  }
}
