import { hasMethod } from '../../base/lib/values.js';

/**
 * Encodes a form with files for Node; undefined for any other body. Node's own encoding of a file that has changed or
 * is gone ends the process by a rejection that cannot be handled, and the request never ends.
 */
export function encodeFiles(body: unknown): Blob | undefined {
  if (!hasMethod(body, 'getAll') || hasMethod(body, 'sort')) return undefined;
  // The cast: only a form has `getAll` but not `sort`.
  const form = body as FormData;
  return [...form.values()].some((part) => typeof part !== 'string') ? multipart(form) : undefined;
}

const withLineEnds = (text: string) => text.replace(/\r?\n|\r/g, '\r\n');
const quoted = (name: string) => name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');

/** Encodes a form as `multipart/form-data`; its files are referenced, not read. */
export function multipart(form: FormData): Blob {
  const boundary = `----arango-services-${crypto.randomUUID()}`;
  const parts: (string | Blob)[] = [];
  for (const [name, value] of form) {
    parts.push(`--${boundary}\r\ncontent-disposition: form-data; name="${quoted(withLineEnds(name))}"`);
    if (typeof value === 'string') parts.push(`\r\n\r\n${withLineEnds(value)}\r\n`);
    else {
      const type = value.type || 'application/octet-stream';
      parts.push(`; filename="${quoted(value.name)}"\r\ncontent-type: ${type}\r\n\r\n`, value, '\r\n');
    }
  }
  parts.push(`--${boundary}--\r\n`);
  return new Blob(parts, { type: `multipart/form-data; boundary=${boundary}` });
}
