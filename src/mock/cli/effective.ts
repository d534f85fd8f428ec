import { effectiveConfig } from '../config/effective-config.js';
import type { Settings } from '../config/settings.js';

/** The JSON escapes of a character. */
const escapeUnits = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

/**
 * The output of `--print-config`, which is also a valid seed file: characters that a terminal would interpret are
 * escaped, not removed.
 */
export function formatConfig(settings: Settings): string {
  const json = JSON.stringify(effectiveConfig(settings), undefined, 2);
  return json.replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, escapeUnits);
}
