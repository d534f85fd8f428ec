import type { SchemaIssue } from '../../base/errors.js';
import { freshDeployment } from '../../policy/model/fresh-deployment.js';
import { versionRules } from '../platform-version.js';
import { ConfigurationError } from './issues.js';
import type { Settings } from './mock-config.js';

const isThere = 'is there already in a fresh deployment';

/**
 * Adds what a new deployment of the version holds, before what is configured.
 * @throws ConfigurationError for an item that both have.
 */
export function withFresh(settings: Settings): Settings {
  const { policies, roles, bindings } = freshDeployment;
  if (!versionRules[settings.platform].predefinesRoles) return settings;
  const named = (['policies', 'roles'] as const).flatMap((kind): SchemaIssue[] =>
    [...settings[kind].keys()].flatMap((name) =>
      freshDeployment[kind].has(name) ? [{ path: [kind, name], message: isThere }] : [],
    ),
  );
  const bound = settings.bindings.flatMap(({ user, role }, i): SchemaIssue[] =>
    // The observed services store bindings by this text.
    bindings.some((binding) => `${binding.user}:${binding.role}` === `${user}:${role}`)
      ? [{ path: ['bindings', i], message: isThere }]
      : [],
  );
  if (named.length + bound.length > 0) throw new ConfigurationError([...named, ...bound]);
  return {
    ...settings,
    policies: new Map([...policies, ...settings.policies]),
    roles: new Map([...roles, ...settings.roles]),
    bindings: [...bindings, ...settings.bindings],
  };
}
