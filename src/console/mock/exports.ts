import { formatSeconds } from '../../base/lib/duration.js';
import { jsonText } from '../../base/lib/json-text.js';
import { stableJson } from '../../base/lib/stable-json.js';
import { defaultSettings } from '../../mock/config/mock-config.js';
import type { Platform } from '../../mock/platform.js';
import { stateOf } from '../../permissions/model/permissions-state.js';
import type { Binding, Evaluator, GroupBinding, Role } from '../../policy/index.js';
import { compactPolicy } from '../../policy/model/normalize.js';
import type { Exported } from '../api.js';

type Config = Readonly<Record<string, unknown>>;

const compactRole = ({ policies, scope, description }: Role): Config => ({
  ...(description ? { description } : {}),
  policies,
  ...(scope ? { scope: compactPolicy(scope) } : {}),
});

const compactBinding = ({ scope, ...names }: Binding | GroupBinding): Config => ({
  ...names,
  ...(scope ? { scope: compactPolicy(scope) } : {}),
});

/** Policies, roles and bindings as a configuration has them; the empty ones are left out. */
function policiesOf(evaluator: Evaluator): Config {
  const { policies, roles, bindings, groupBindings } = stateOf(evaluator);
  const listed = { bindings: bindings.map(compactBinding), groupBindings: groupBindings.map(compactBinding) };
  return {
    ...(policies.size > 0
      ? { policies: Object.fromEntries(Array.from(policies, ([k, v]) => [k, compactPolicy(v)])) }
      : {}),
    ...(roles.size > 0 ? { roles: Object.fromEntries(Array.from(roles, ([k, v]) => [k, compactRole(v)])) } : {}),
    ...Object.fromEntries(Object.entries(listed).filter(([, list]) => list.length > 0)),
  };
}

/** The fields of an object that differ from the defaults, one level down too; undefined if none does. */
function differing(value: object, defaults: object): Config | undefined {
  const usual = new Map(Object.entries(defaults));
  const fields = Object.entries(value).filter(
    ([name, field]) => field !== undefined && stableJson(field) !== stableJson(usual.get(name)),
  );
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function authenticationOf({ authentication }: Platform['settings'], secrets: boolean): Config | undefined {
  const usual = defaultSettings().authentication;
  const { token, keys, ...rest } = authentication;
  const { active, passive } = keys;
  const ttl = (['min', 'max', 'default'] as const).filter((name) => token[`${name}Ms`] !== usual.token[`${name}Ms`]);
  const tokenFields = {
    ...(token.user === usual.token.user ? {} : { user: token.user }),
    ...(ttl.length === 0
      ? {}
      : { ttl: Object.fromEntries(ttl.map((name) => [name, formatSeconds(token[`${name}Ms`])])) }),
  };
  const fields = {
    ...differing(rest, usual),
    ...(Object.keys(tokenFields).length === 0 ? {} : { token: tokenFields }),
    ...(secrets && active !== undefined ? { keys: { active, ...(passive.length > 0 ? { passive } : {}) } } : {}),
  };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function usersOf({ store }: Platform, secrets: boolean): Config {
  const users = Array.from(store.users.all(), ([name, password]) =>
    secrets && password !== '' ? { name, password } : { name },
  );
  const isDefault = users.length === 1 && users[0]?.name === 'root' && !('password' in users[0]);
  return isDefault ? {} : { users };
}

/**
 * The state of a mock as a configuration for `createMock`, without the defaults.
 * @param secrets true to include passwords and keys.
 */
function configOf(platform: Platform, evaluator: Evaluator, secrets: boolean): Config {
  const { settings, clock } = platform;
  const usual = defaultSettings();
  const { stoppedAt } = clock.save();
  const { platform: version, fidelity, central, authzen, routes } = differing(settings, usual) ?? {};
  const parts = {
    platform: version,
    fidelity,
    now: stoppedAt === undefined ? undefined : new Date(stoppedAt).toISOString(),
    authentication: authenticationOf(settings, secrets),
    central,
    authorization: differing(settings.authorization, usual.authorization),
    ...usersOf(platform, secrets),
    ...policiesOf(evaluator),
    routes,
    gateway: differing(settings.gateway, usual.gateway),
    authzen,
    limits: differing(settings.limits, usual.limits),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

/** Sentences about what an export lacks. */
function notesOf({ settings, store }: Platform, secrets: boolean): string[] {
  const hasPasswords = [...store.users.values()].some((password) => password !== '');
  return [
    ...(!secrets && hasPasswords ? ['Passwords are left out: the users have empty ones.'] : []),
    ...(!secrets && settings.authentication.keys.active !== undefined ? ['Keys are left out.'] : []),
    ...(settings.authentication.keys.active === undefined ? ['The key is a random one of each mock.'] : []),
    'Routes and services that code has added, faults, revoked tokens and the request log are not part of it.',
  ];
}

export function exportSeed(platform: Platform, evaluator: Evaluator, secrets: boolean): Exported {
  const $schema = './node_modules/arango-services/dist/seed.schema.json';
  const text = `${jsonText({ $schema, ...configOf(platform, evaluator, secrets) }, 2)}\n`;
  return { fileName: 'seed.json', mediaType: 'application/json', text, notes: notesOf(platform, secrets) };
}

/** A configuration as an expression of JavaScript: JSON, in which no name sets a prototype. */
const toCode = (config: Config): string => jsonText(config, 2).replace(/^( *)"__proto__":/gm, '$1["__proto__"]:');

export function exportCreateMock(platform: Platform, evaluator: Evaluator, secrets: boolean): Exported {
  const config = configOf(platform, evaluator, secrets);
  const argument = Object.keys(config).length === 0 ? '' : toCode(config);
  const text = [
    "import { createMock } from 'arango-services/mock';",
    '',
    `export const mock = await createMock(${argument});`,
    '',
  ].join('\n');
  return { fileName: 'mock.ts', mediaType: 'text/plain', text, notes: notesOf(platform, secrets) };
}
