import { formatSeconds } from '../../base/lib/duration.js';
import { redacted } from '../../base/secrets/redact.js';
import type { Settings } from './mock-config.js';

/** Settings in the form of a seed file, with defaults filled in and secrets redacted. */
export function effectiveConfig(settings: Settings): unknown {
  const { lagMs, now, authentication, users, policies, roles, services } = settings;
  const { active, passive } = authentication.keys;
  const { user, allowed, minMs, maxMs, defaultMs } = authentication.token;
  return {
    ...settings,
    lagMs: undefined,
    lag: formatSeconds(lagMs),
    now: now === undefined ? undefined : new Date(now).toISOString(),
    authentication: {
      ...authentication,
      keys: { active: active === undefined ? undefined : redacted, passive: passive.map(() => redacted) },
      token: {
        user,
        allowed,
        ttl: { min: formatSeconds(minMs), max: formatSeconds(maxMs), default: formatSeconds(defaultMs) },
      },
    },
    users: Array.from(users, ([name, password]) => ({ name, password: password === '' ? '' : redacted })),
    policies: Object.fromEntries(policies),
    roles: Object.fromEntries(roles),
    services: Object.fromEntries(services),
  };
}
