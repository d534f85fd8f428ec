import * as z from 'zod/mini';
import { InvalidArgumentError, type SchemaIssue } from '../../base/errors.js';
import { describeIssue } from '../../base/lib/describe-issue.js';
import { formatSeconds, parseDuration } from '../../base/lib/duration.js';
import { readMoment } from '../../base/lib/moment.js';
import { isPlainObject } from '../../base/lib/values.js';
import type { Binding, GroupBinding, Policy, Role } from '../../policy/index.js';
import { evaluationRules } from '../../policy/model/fidelity.js';
import { type FidelityRules, fidelities } from '../fidelity-rules.js';
import { targetFault } from '../forward/target.js';
import { platformOf, versionRules } from '../platform-version.js';
import { createSchema } from './config-schema.js';
import { ConfigurationError, readIssue } from './issues.js';
import { defaultSettings, type MockConfig, type Settings } from './mock-config.js';

type Schema = ReturnType<typeof createSchema>;
/** A configuration as the schema returns it. */
type Checked = z.output<Schema>;

/** The rules of the configured fidelity, or of the default one if that is missing or unknown. */
function rulesFor(value: unknown): FidelityRules {
  const name = typeof value === 'object' && value !== null && 'fidelity' in value ? value.fidelity : undefined;
  const row = Object.entries(fidelities).find(([fidelity]) => fidelity === name);
  return row?.[1] ?? fidelities[defaultSettings().fidelity];
}

/** Copies no deeper than this, which is more than any field of a configuration needs. */
const deepest = 16;

/** Copies own fields only, so that additions to Object.prototype are ignored. */
function copyOwn(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > deepest) return value;
  if (Array.isArray(value)) return value.map((item) => copyOwn(item, depth + 1));
  if (!isPlainObject(value)) return value;
  const fields = Object.entries(value).map(([name, item]) => [name, copyOwn(item, depth + 1)]);
  return Object.setPrototypeOf(Object.fromEntries(fields), null);
}

/** Stands for a Map of the caller, which the schema refuses: a seed file has objects. */
const refusedMap = Object.create({ constructor: Map });

/** Converts an object to the Map that the schema takes. */
function toMap(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return value instanceof Map ? refusedMap : new Map(Object.entries(value));
}

/** Converts what only code can pass, such as a Date, to the form of a seed file. */
function prepare(config: unknown): unknown {
  const value = copyOwn(config);
  if (!isPlainObject(value)) return value;
  const { now, policies, roles, services } = value as MockConfig;
  const moment = now instanceof Date && !Number.isNaN(now.getTime()) ? now.toISOString() : now;
  const maps = { policies: toMap(policies), roles: toMap(roles), services: toMap(services) };
  return Object.assign(value, { now: moment, ...maps });
}

/** Finds values that occur twice in a list. */
function findRepeated(field: string, what: string, keys: readonly string[]): SchemaIssue[] {
  const first = new Map<string, number>();
  return keys.flatMap((key, i) => {
    const before = first.get(key);
    if (before === undefined) first.set(key, i);
    return before === undefined ? [] : [{ path: [field, i], message: `has the same ${what} as ${field}[${before}]` }];
  });
}

/** Token lifetimes in milliseconds. The schema has checked the durations. */
function readLifetimes({ min, max, default: usual }: Checked['authentication']['token']['ttl']) {
  const ms = (text: string): number => parseDuration(text) ?? 0;
  return { minMs: ms(min), maxMs: ms(max), defaultMs: ms(usual) };
}

/** Finds errors across fields: duplicates, an echo with a response, a minimum lifetime above the maximum. */
function findConflicts(
  input: z.input<Schema>,
  { fidelity, platform, users, authentication, routes, services }: Checked,
  { bindings, groupBindings }: Pick<Settings, 'bindings' | 'groupBindings'>,
) {
  const { bindingsByName } = evaluationRules[fidelity];
  const version = versionRules[platformOf(platform)];
  const keyOf = (owner: string, role: string) => (bindingsByName ? `${owner}:${role}` : JSON.stringify([owner, role]));
  const what = (owner: string) => (bindingsByName ? `name (${owner}:role)` : `${owner} and role`);
  const ofUsers = bindings.map(({ user, role }) => keyOf(user, role));
  const ofGroups = groupBindings.map(({ group, role }) => keyOf(group, role));
  const names = users.map((user) => user.name);
  const issues = [
    ...findRepeated('bindings', what('user'), ofUsers),
    ...findRepeated('groupBindings', what('group'), ofGroups),
    ...findRepeated('users', 'name', names),
  ];
  if (groupBindings.length > 0 && !version.bindsGroups) {
    issues.push({ path: ['groupBindings'], message: 'expected none: only platform next binds groups' });
  }
  const { allowed, user } = authentication.token;
  if (allowed.length > 0) {
    const at = ['authentication', 'token', 'allowed'];
    if (version.gatesCreateToken || fidelities[fidelity].ignoresVersions) {
      issues.push({ path: at, message: 'expected none: only platform 1.4.4 in sidecar fidelity has it' });
    } else if (!allowed.includes(user)) {
      issues.push({ path: at, message: 'lacks authentication.token.user' });
    }
  }
  // The names of segments make no difference.
  const ofRoutes = routes.map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/\/:\w+(?=\/|$)/g, '/:')}`);
  issues.push(
    ...findRepeated('routes', 'method and path', ofRoutes),
    ...routes.flatMap(({ echo, status, headers, body }, i) =>
      echo && (status ?? headers ?? body) !== undefined
        ? [{ path: ['routes', i, 'echo'], message: 'expected no status, headers or body with it' }]
        : [],
    ),
  );
  for (const [name, { url, allowRemote }] of services ?? []) {
    const message = targetFault(url, allowRemote);
    if (message !== undefined) issues.push({ path: ['services', name, 'url'], message });
  }
  const { minMs, maxMs } = readLifetimes(authentication.token.ttl);
  if (minMs > maxMs) {
    const at = input.authentication?.token?.ttl?.max === undefined ? 'min' : 'max';
    const message = `expected a min of at most max, got ${formatSeconds(minMs)} and ${formatSeconds(maxMs)}`;
    issues.push({ path: ['authentication', 'token', 'ttl', at], message });
  }
  return issues;
}

function parse(schema: Schema, value: unknown) {
  try {
    return z.safeParse(schema, value, { error: describeIssue });
  } catch {
    // zod passes errors on as arguments, of which a call takes about 100 000.
    throw new InvalidArgumentError('configuration', 'too many errors');
  }
}

/**
 * Checks a configuration and fills in the defaults.
 * @throws ConfigurationError (code `INVALID_ARGUMENT`) with the path of each error and what is accepted there.
 */
export function readConfig(config: unknown): Settings {
  const value = prepare(config);
  const result = parse(createSchema(rulesFor(value)), value);
  if (!result.success) throw new ConfigurationError(result.error.issues.flatMap(readIssue));
  const {
    $schema: _,
    fresh: __,
    platform,
    lag,
    now,
    authentication,
    users,
    policies,
    roles,
    services,
    ...rest
  } = result.data;
  // The casts here and below: the schema has checked the value, and the state normalizes the policies.
  const bindings = result.data.bindings as readonly Binding[];
  const groupBindings = result.data.groupBindings as readonly GroupBinding[];
  const conflicts = findConflicts(value as z.input<Schema>, result.data, { bindings, groupBindings });
  if (conflicts.length > 0) throw new ConfigurationError(conflicts);
  const { keys, token } = authentication;
  return {
    ...rest,
    platform: platformOf(platform),
    lagMs: parseDuration(lag) ?? 0,
    now: readMoment(now),
    authentication: {
      ...authentication,
      keys: { active: keys.active, passive: keys.passive },
      token: { user: token.user, allowed: token.allowed, ...readLifetimes(token.ttl) },
    },
    users: new Map([...defaultSettings().users, ...users.map((user) => [user.name, user.password] as const)]),
    policies: (policies ?? new Map()) as ReadonlyMap<string, Policy>,
    roles: (roles ?? new Map()) as ReadonlyMap<string, Role>,
    bindings,
    groupBindings,
    services: services ?? new Map(),
  };
}
