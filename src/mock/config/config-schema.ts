import * as z from 'zod/mini';
import { formatSeconds, parseDuration } from '../../base/lib/duration.js';
import { readMoment } from '../../base/lib/moment.js';
import { isObject } from '../../base/lib/values.js';
import { authorizationTypes } from '../../policy/model/authorization-type.js';
import { actionFault, resourceFault } from '../../policy/model/pattern.js';
import { platformVersions } from '../../policy/model/platform-versions.js';
import { describeShapes, type ShapeBuilder } from '../../policy/model/shape.js';
import type { FidelityRules } from '../fidelity-rules.js';
import { isMethod, pathFault, serviceNameFault } from '../wire/path-rules.js';
import { defaultSettings, type Settings } from './mock-config.js';

// The schema of the configuration. `readConfig` checks with it, and scripts/lib/schemas generates the JSON Schema of a
// seed file from it, with its own translation of the custom rules. `describeIssue` words the errors about types. A
// custom rule is one function that returns the text of its error: each kind of rule from zod would add code to every
// bundle of the mock.

const text = z.string();

type Explain<T> = (value: T) => string | undefined;

const ruleOf = <T>(explain: Explain<T>) =>
  [
    (value: T): boolean => explain(value) === undefined,
    // The cast: `check` has seen the same value.
    { error: ({ input }: { readonly input?: unknown }) => explain(input as T) },
  ] as const;

/** Text that `explain` accepts. */
const textLike = (explain: Explain<string>) => text.check(z.refine(...ruleOf(explain)));

export const name = textLike((value) => (value === '' ? 'must not be empty' : undefined));

export const serviceName = textLike(serviceNameFault);

export const limit = z.custom<number>(
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  `expected a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
);

export const duration = textLike((value) =>
  parseDuration(value) === undefined ? 'expected a duration like "1h", "90m" or "3600s"' : undefined,
);

export const moment = textLike((value) =>
  readMoment(value) === undefined ? 'expected an ISO 8601 moment like "2026-11-20T12:00:00Z"' : undefined,
);

export const method = textLike((value) => (isMethod(value) ? undefined : 'expected a method like "GET", or "*"'));
export const path = textLike(pathFault);

export const status = z.custom<number>(
  (value) => Number.isInteger(value) && (value as number) >= 200 && (value as number) <= 599,
  'expected a status from 200 to 599',
);

/** True for an object whose names and values HTTP allows as headers. */
function areHeaders(record: unknown): boolean {
  if (!isObject(record) || Object.values(record).some((value) => typeof value !== 'string')) return false;
  try {
    // The cast: checked two lines above.
    return new Headers(record as Record<string, string>) !== undefined;
  } catch {
    return false;
  }
}

export const headers = z.custom<Readonly<Record<string, string>>>(areHeaders, 'expected an object of header values');

export const action = textLike(actionFault);
export const resource = textLike(resourceFault);

/** Any effect, for the fidelity that stores invalid ones. */
export const anyEffect = z.custom<string | number>(
  (value) => typeof value === 'string' || Number.isFinite(value),
  'expected "Allow" or "Deny"',
);

const authorizationMode = z.enum(['None', 'Native', 'RBAC']);

/** Values by name. A Map holds them, because zod's record drops `__proto__`, which is a valid name. */
const named = <T extends z.ZodMiniType>(key: z.ZodMiniType<string, string>, value: T) => z.map(key, value);

/** Builds the schemas of policies, roles and bindings. */
const builder: ShapeBuilder<z.ZodMiniType> = {
  effect: z.enum(['Allow', 'Deny']),
  action,
  resource,
  name,
  description: z.optional(text),
  object: (fields) => z.strictObject(fields),
  list: (item) => z.array(item),
  texts: (item) => z._default(z.array(item), []),
  nullish: (field) => z.optional(z.nullable(field)),
};

/** The lenient variant, which accepts invalid policies: the state stores them and evaluation skips them. */
const lenientBuilder: ShapeBuilder<z.ZodMiniType> = {
  ...builder,
  effect: z._default(anyEffect, 'Deny'),
  action: text,
  resource: text,
};

/** The schema of the options of createToken. */
const tokenSchema = ({ user, allowed, minMs, maxMs, defaultMs }: Settings['authentication']['token']) =>
  z.strictObject({
    user: z._default(text, user),
    allowed: z._default(z.array(text), [...allowed]),
    ttl: z.prefault(
      z.strictObject({
        min: z._default(duration, formatSeconds(minMs)),
        max: z._default(duration, formatSeconds(maxMs)),
        default: z._default(duration, formatSeconds(defaultMs)),
      }),
      {},
    ),
  });

/** The schema of a configuration in one fidelity. Its defaults are those of `defaultSettings`. */
export function createSchema({ refusesFaults }: FidelityRules) {
  const { fidelity, platform, lagMs, authentication, central, authorization, gateway, authzen, limits } =
    defaultSettings();
  const { policy, role, binding, groupBinding } = describeShapes(refusesFaults ? builder : lenientBuilder);
  const policyName = refusesFaults ? name : text;
  return z.strictObject({
    $schema: z.optional(text),
    fidelity: z._default(z.enum(['documented', 'sidecar']), fidelity),
    platform: z._default(z.enum(platformVersions), platform),
    fresh: z._default(z.boolean(), false),
    lag: z._default(duration, formatSeconds(lagMs)),
    now: z.optional(moment),
    authentication: z.prefault(
      z.strictObject({
        enabled: z._default(z.boolean(), authentication.enabled),
        mode: z._default(z.enum(['None', 'Native', 'SSO']), authentication.mode),
        keys: z.prefault(z.strictObject({ active: z.optional(name), passive: z._default(z.array(name), []) }), {}),
        token: z.prefault(tokenSchema(authentication.token), {}),
      }),
      {},
    ),
    central: z._default(z.boolean(), central),
    authorization: z.prefault(
      z.strictObject({
        type: z._default(z.enum(authorizationTypes), authorization.type),
        mode: z._default(authorizationMode, authorization.mode),
        coreDb: z.optional(authorizationMode),
      }),
      {},
    ),
    identity: z.optional(name),
    users: z._default(z.array(z.strictObject({ name, password: z._default(text, '') })), []),
    policies: z.optional(named(policyName, policy)),
    roles: z.optional(named(policyName, role)),
    bindings: z._default(z.array(binding), []),
    groupBindings: z._default(z.array(groupBinding), []),
    routes: z._default(
      z.array(
        z.strictObject({
          method: z._default(method, '*'),
          path,
          echo: z._default(z.boolean(), false),
          status: z.optional(status),
          headers: z.optional(headers),
          body: z.optional(z.custom<unknown>()),
        }),
      ),
      [],
    ),
    services: z.optional(
      named(
        serviceName,
        z.strictObject({
          url: text,
          global: z._default(z.boolean(), false),
          authentication: z._default(z.enum(['required', 'optional']), 'required'),
          passMode: z._default(z.enum(['override', 'pass', 'remove']), 'override'),
          allowRemote: z._default(z.boolean(), false),
        }),
      ),
    ),
    gateway: z.prefault(
      z.strictObject({
        integration: z._default(z.boolean(), gateway.integration),
        cookiesSupport: z._default(z.boolean(), gateway.cookiesSupport),
      }),
      {},
    ),
    authzen: z._default(z.boolean(), authzen),
    limits: z.prefault(
      z.strictObject({
        bodyBytes: z._default(limit, limits.bodyBytes),
        items: z._default(limit, limits.items),
        tokenBytes: z._default(limit, limits.tokenBytes),
        log: z._default(limit, limits.log),
        logBytes: z._default(limit, limits.logBytes),
      }),
      {},
    ),
  });
}
