import { isSecretName, isSecretTextName } from './names.js';
import { decodePercent, isOpaque, redacted, redactText, redactTextBody } from './redact-text.js';

// Redacts credentials, passwords and tokens for the request log.

const longBody = 16_384;
const deepest = 32;

/** True if a body is too long for the log, which then shows only its size. */
export function isLongBody(length: number): boolean {
  return length > longBody;
}

/** Redacts a query: values of secret parameters, and values that contain secrets themselves. */
export function redactQuery(query: string): string {
  if (query === '') return query;
  const pairs = query.split('&').map((pair) => {
    const at = pair.indexOf('=');
    const name = at < 0 ? '' : pair.slice(0, at);
    const value = decodePercent(pair.slice(at + 1));
    const secret = at >= 0 && isSecretTextName(decodePercent(name));
    // JSON in a value has its own names.
    const shown = (/^\s*[[{]/.test(value) ? redactTextBody : redactText)(value);
    if (secret || isOpaque(value) || shown !== value) return at < 0 ? redacted : `${name}=${redacted}`;
    return pair;
  });
  return pairs.join('&');
}

/** Redacts the values of headers with secret names. */
export function redactHeaders(headers: { entries(): Iterable<[string, string]> }): Record<string, string> {
  const list: [string, string][] = [];
  for (const [name, value] of headers.entries()) {
    list.push([name, isSecretTextName(name) || isOpaque(value) ? redacted : redactText(value)]);
  }
  return Object.fromEntries(list);
}

/** Redacts a string inside a JSON value; one that is JSON itself is redacted as JSON. */
function redactString(text: string, depth: number): string {
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(redactValue(JSON.parse(text), '', depth + 1));
    } catch {
      // It only looked like JSON.
    }
  }
  return redactText(text);
}

/** Copies a JSON value without its secrets. Everything below a secret name is secret, too. */
function redactValue(value: unknown, name: string, depth: number): unknown {
  const secret = isSecretName(name);
  if (typeof value === 'string') return isSecretTextName(name) ? redacted : redactString(value, depth);
  if (typeof value !== 'object' || value === null) return secret && value !== null ? redacted : value;
  if (depth >= deepest) return '[deeper]';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, name, depth + 1));
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, redactValue(item, secret ? name : key, depth + 1)]));
}

/** A received body. `text` throws if the bytes are not UTF-8. */
interface BodyToShow {
  readonly length: number;
  readonly text: string;
}

/** Redacts the body of a request, as JSON or text; returns only the size of a long or binary one. */
export function redactBody(body: BodyToShow): unknown {
  const { length } = body;
  if (length === 0) return undefined;
  if (isLongBody(length)) return `[${length} bytes]`;
  try {
    const { text } = body;
    try {
      // Parsed again, because a custom route may have changed its value.
      return redactValue(JSON.parse(text), '', 0);
    } catch {
      return redactTextBody(text);
    }
  } catch {
    return `[${length} bytes]`;
  }
}
