import { formatSeconds } from '../../lib/duration.js';
import { redacted } from '../../secrets/redact-text.js';
import type { Settings } from '../config/settings.js';

/** Settings in the form of a seed file, every default filled in and every secret left out. */
function effectiveConfig(settings: Settings): unknown {
  const { now, authentication, users, policies, roles } = settings;
  const { active, passive } = authentication.keys;
  const { user, minMs, maxMs, defaultMs } = authentication.token;
  return {
    ...settings,
    now: now === undefined ? undefined : new Date(now).toISOString(),
    authentication: {
      ...authentication,
      keys: { active: active === undefined ? undefined : redacted, passive: passive.map(() => redacted) },
      token: { user, ttl: { min: formatSeconds(minMs), max: formatSeconds(maxMs), default: formatSeconds(defaultMs) } },
    },
    users: Array.from(users, ([name, password]) => ({ name, password: password === '' ? '' : redacted })),
    policies: Object.fromEntries(policies),
    roles: Object.fromEntries(roles),
  };
}

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
