import { coders, requireEngine } from '../../base/lib/engine.js';

/** The maximum size of one file, in bytes. */
export const mostBytes = 10_000_000;

/** Decodes a file; undefined if it is not valid UTF-8. Keeps a byte order mark. */
export function toText(content: string | Uint8Array): string | undefined {
  if (typeof content === 'string') return content;
  requireEngine(coders);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}
