import * as z from 'zod/mini';
import { InvalidArgumentError, type SchemaIssue } from '../../errors.js';
import { formatSeconds, parseDuration } from '../../lib/duration.js';
import { readMoment } from '../../lib/moment.js';
import {
  type Binding,
  formatPath,
  type Policy,
  type Role,
  validateBinding,
  validatePolicy,
  validateRole,
} from '../../policy/index.js';
import { fidelities } from '../fidelity.js';
import { defaultSettings, type Settings } from './settings.js';

/** A configuration was refused. Code `INVALID_ARGUMENT`; the message has a line for each fault, `issues` has them as data. */
export class ConfigurationError extends InvalidArgumentError {
  readonly issues: readonly SchemaIssue[];

  constructor(issues: readonly SchemaIssue[]) {
    const lines = issues.map(({ path, message }) => `${formatConfigPath(path)}: ${message}`);
    const first = issues[0];
    super(formatConfigPath(first?.path ?? []), [first?.message ?? 'is not valid', ...lines.slice(1)].join('\n'));
    this.issues = issues;
  }
}

/** `policies.read-only.statements[0].effect`; the whole is `configuration`. */
export function formatConfigPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'configuration';
  return formatPath(path.map((key) => (typeof key === 'number' ? key : String(key))));
}

const text = z.string('expected text');
const name = text.check(z.minLength(1, 'must not be empty'));
const flag = z.boolean('expected true or false');
const oneOf = <const T extends readonly string[]>(values: T) => z.enum(values, `expected one of ${values.join(', ')}`);
const duration = text.check(
  z.refine((value) => parseDuration(value) !== undefined, 'expected a duration like "1h", "90m" or "3600s"'),
);
const limit = z.int('expected a whole number').check(z.gte(0, 'must not be negative'));
const list = <T extends z.ZodMiniType>(item: T) => z.array(item, 'expected a list');

const policy = z.strictObject({
  statements: list(
    z.strictObject({
      // What it may say depends on the fidelity, which the state checks.
      effect: z.optional(z.union([text, z.number()], 'expected "Allow" or "Deny"')),
      actions: z._default(list(text), []),
      resources: z._default(list(text), []),
      description: z.optional(text),
    }),
  ),
  description: z.optional(text),
});
const role = z.strictObject({
  policies: z._default(list(text), []),
  scope: z.optional(z.nullable(policy)),
  description: z.optional(text),
});
const binding = z.strictObject({ user: name, role: name, scope: z.optional(z.nullable(policy)) });

const config = z.strictObject({
  fidelity: z.optional(oneOf(['documented', 'sidecar'])),
  now: z.optional(
    z
      .unknown()
      .check(
        z.refine(
          (value) => typeof value !== 'number' && readMoment(value) !== undefined,
          'expected an ISO 8601 moment like "2026-11-20T12:00:00Z"',
        ),
      ),
  ),
  authentication: z.optional(
    z.strictObject({
      enabled: z.optional(flag),
      mode: z.optional(oneOf(['None', 'Native', 'SSO'])),
      keys: z.optional(z.strictObject({ active: z.optional(name), passive: z.optional(list(name)) })),
      token: z.optional(
        z.strictObject({
          user: z.optional(text),
          ttl: z.optional(
            z.strictObject({ min: z.optional(duration), max: z.optional(duration), default: z.optional(duration) }),
          ),
        }),
      ),
    }),
  ),
  central: z.optional(flag),
  authorization: z.optional(
    z.strictObject({
      type: z.optional(oneOf(['central', 'central-permissive', 'always', 'never'])),
      mode: z.optional(oneOf(['None', 'Native', 'RBAC'])),
    }),
  ),
  users: z.optional(list(z.strictObject({ name, password: z.optional(text) }))),
  // A record of zod drops `__proto__`, which is a name like any other: names are read below.
  policies: z.optional(z.custom<Record<string, unknown>>(isRecord, 'expected an object of policies by name')),
  roles: z.optional(z.custom<Record<string, unknown>>(isRecord, 'expected an object of roles by name')),
  bindings: z.optional(list(binding)),
  limits: z.optional(
    z.strictObject({
      bodyBytes: z.optional(limit),
      items: z.optional(limit),
      tokenBytes: z.optional(limit),
      log: z.optional(limit),
    }),
  ),
});

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map);
}

function named<T extends z.ZodMiniType>(
  schema: T,
  values: Record<string, unknown> | undefined,
  field: string,
  issues: SchemaIssue[],
): Map<string, z.output<T>> {
  const all = new Map<string, z.output<T>>();
  for (const [key, value] of Object.entries(values ?? {})) {
    const result = z.safeParse(schema, value);
    if (result.success) all.set(key, result.data);
    else issues.push(...result.error.issues.map((issue) => readIssue(issue, [field, key])));
  }
  return all;
}

function readIssue(
  issue: { code?: string | undefined; path: PropertyKey[]; message: string; keys?: unknown },
  above: PropertyKey[],
): SchemaIssue {
  const path = [...above, ...issue.path];
  if (issue.code !== 'unrecognized_keys')
    return { path, message: issue.message === 'Invalid input' ? 'expected an object' : issue.message };
  const keys = Array.isArray(issue.keys) ? issue.keys.map(String) : [];
  return {
    path: [...path, keys[0] ?? ''],
    message: keys.length > 1 ? `unknown fields: ${keys.join(', ')}` : 'unknown field',
  };
}

/** What stands in a list a second time. */
function repeated(keys: readonly string[], field: string, what: string): SchemaIssue[] {
  const first = new Map<string, number>();
  return keys.flatMap((key, i) => {
    const before = first.get(key);
    if (before === undefined) first.set(key, i);
    return before === undefined ? [] : [{ path: [field, i], message: `has the ${what} of ${field}[${before}]` }];
  });
}

const seconds = (duration: string | undefined, otherwise: number): number =>
  duration === undefined ? otherwise : (parseDuration(duration) ?? otherwise);

/**
 * Checks a configuration and fills in the defaults.
 * @throws ConfigurationError (code `INVALID_ARGUMENT`) with the path of each fault.
 */
export function readConfig(value: unknown): Settings {
  const base = defaultSettings();
  const issues: SchemaIssue[] = [];
  const result = z.safeParse(config, value);
  if (!result.success) issues.push(...result.error.issues.map((issue) => readIssue(issue, [])));
  const raw = isRecord(value) ? (value as { policies?: unknown; roles?: unknown }) : {}; // Only looked at where it is a record.
  const policies = named(
    policy,
    isRecord(raw.policies) ? (raw.policies as Record<string, unknown>) : {},
    'policies',
    issues,
  );
  const roles = named(role, isRecord(raw.roles) ? (raw.roles as Record<string, unknown>) : {}, 'roles', issues);
  // The contents have rules of their own.
  if (result.success && fidelities[result.data.fidelity ?? base.fidelity].namesFaults) {
    const below = (path: readonly PropertyKey[]) => (issue: SchemaIssue) =>
      issues.push({ ...issue, path: [...path, ...issue.path] });
    for (const [key, value] of policies) validatePolicy(value).forEach(below(['policies', key]));
    for (const [key, value] of roles) validateRole(value).forEach(below(['roles', key]));
    for (const [i, value] of (result.data.bindings ?? []).entries())
      validateBinding(value).forEach(below(['bindings', i]));
  }
  if (result.success) {
    const { bindings = [], users = [] } = result.data;
    const pairs = bindings.map((one) => JSON.stringify([one.user, one.role]));
    issues.push(...repeated(pairs, 'bindings', 'user and role'));
    issues.push(
      ...repeated(
        users.map((user) => user.name),
        'users',
        'name',
      ),
    );
  }
  if (!result.success || issues.length > 0) throw new ConfigurationError(issues);
  const given = result.data;
  const { token, keys, enabled, mode } = given.authentication ?? {};
  const { ttl } = token ?? {};
  const users = new Map(base.users);
  for (const user of given.users ?? []) users.set(user.name, user.password ?? '');
  const minMs = seconds(ttl?.min, base.authentication.token.minMs);
  const maxMs = seconds(ttl?.max, base.authentication.token.maxMs);
  if (minMs > maxMs)
    throw new ConfigurationError([
      {
        path: ['authentication', 'token', 'ttl', ttl?.max === undefined ? 'min' : 'max'],
        message: `expected a min of at most max, got ${formatSeconds(minMs)} and ${formatSeconds(maxMs)}`,
      },
    ]);
  return {
    fidelity: given.fidelity ?? base.fidelity,
    now: readMoment(given.now),
    authentication: {
      enabled: enabled ?? true,
      mode: mode ?? base.authentication.mode,
      keys: { active: keys?.active, passive: keys?.passive ?? [] },
      token: {
        user: token?.user ?? base.authentication.token.user,
        minMs,
        maxMs,
        defaultMs: seconds(ttl?.default, base.authentication.token.defaultMs),
      },
    },
    central: given.central ?? base.central,
    authorization: {
      type: given.authorization?.type ?? base.authorization.type,
      mode: given.authorization?.mode ?? base.authorization.mode,
    },
    users,
    // The state makes exact policies of these: it fills in and checks what depends on the fidelity.
    policies: policies as ReadonlyMap<string, unknown> as ReadonlyMap<string, Policy>,
    roles: roles as ReadonlyMap<string, unknown> as ReadonlyMap<string, Role>,
    bindings: (given.bindings ?? []) as readonly unknown[] as readonly Binding[],
    limits: {
      bodyBytes: given.limits?.bodyBytes ?? base.limits.bodyBytes,
      items: given.limits?.items ?? base.limits.items,
      tokenBytes: given.limits?.tokenBytes ?? base.limits.tokenBytes,
      log: given.limits?.log ?? base.limits.log,
    },
  };
}
