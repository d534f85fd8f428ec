import { effectiveConfig } from '../config/effective-config.js';
import type { Settings } from '../config/settings.js';

/** The escapes of JSON for a character. */
const escapeUnits = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

/**
 * The JSON that `--print-config` prints. It is a seed file, too: what a terminal would obey is escaped and not lost.
 */
export function formatConfig(settings: Settings): string {
  const json = JSON.stringify(effectiveConfig(settings), undefined, 2);
  return json.replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, escapeUnits);
}
