import * as z from 'zod/mini';
import { durationPattern, formatSeconds, parseDuration } from '../../lib/duration.js';
import { momentPattern, readMoment } from '../../lib/moment.js';
import { actionFault, resourceFault } from '../../policy/pattern.js';
import { describeShapes, type ShapeBuilder } from '../../policy/shape.js';
import type { FidelityRules } from '../fidelity.js';
import { defaultSettings } from './settings.js';

// The schema of the configuration. `readConfig` checks with it, and the JSON Schema of a seed file is made from it.
// Where a value is refused for its kind, `describeIssue` says what is accepted; the texts here are for rules of our
// own.

const text = z.string();
const name = text.check(z.minLength(1));
const limit = z.int().check(z.gte(0));

/** Text that fits a pattern, which editors know too, and that `explain` finds nothing wrong with. */
const textLike = (pattern: RegExp, explain: (text: string) => string | undefined) => {
  const error = ({ input }: { readonly input?: unknown }) => explain(String(input));
  return text.check(
    z.regex(pattern, { error, abort: true }),
    z.refine((value) => explain(value) === undefined, { error }),
  );
};

const duration = textLike(durationPattern, (value) =>
  parseDuration(value) === undefined ? 'expected a duration like "1h", "90m" or "3600s"' : undefined,
);

/** A moment: ISO 8601 text in a seed file, in code a Date as well. */
const moment = z.pipe(
  z.transform((value) => (value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value)),
  textLike(momentPattern, (value) =>
    readMoment(value) === undefined ? 'expected an ISO 8601 moment like "2026-11-20T12:00:00Z"' : undefined,
  ),
);

/** Values by name. A Map holds them, because a record of zod drops `__proto__`, which is a name like any other. */
const named = <T extends z.ZodMiniType>(key: z.ZodMiniType<string, string>, value: T) =>
  z.pipe(
    z.transform((given) => {
      const isObject = typeof given === 'object' && given !== null && !Array.isArray(given) && !(given instanceof Map);
      return isObject ? new Map(Object.entries(given)) : undefined;
    }),
    z.map(key, value, 'expected an object'),
  );

// No segment begins and ends with "*", unless it is just that.
const parsable = String.raw`(?!(?:[\s\S]*:)?\*[^:]*\*(?::|$))`;
const actionPattern = new RegExp(String.raw`^(?:\*|${parsable}[^:]+:[^:]+)$`);
const resourcePattern = new RegExp(String.raw`^(?:\*|${parsable}[\s\S]+)$`);

/** How policies, roles and bindings are made of schemas, whatever the fidelity. */
const builder: ShapeBuilder<z.ZodMiniType> = {
  effect: z.enum(['Allow', 'Deny']),
  action: textLike(actionPattern, actionFault),
  resource: textLike(resourcePattern, resourceFault),
  name,
  text,
  object: (fields) => z.strictObject(fields),
  list: (item) => z.array(item),
  texts: (item) => z._default(z.array(item), []),
  optional: (field) => z.optional(field),
  nullish: (field) => z.optional(z.nullable(field)),
};

/**
 * The same where faults of policies are no faults of the configuration: the state stores such policies and skips them.
 */
const lenientBuilder: ShapeBuilder<z.ZodMiniType> = {
  ...builder,
  effect: z._default(z.union([text, z.number()], 'expected "Allow" or "Deny"'), 'Deny'),
  action: text,
  resource: text,
};

/** The schema of a configuration in one fidelity. Its defaults are those of `defaultSettings`. */
export function createSchema({ refusesFaults }: FidelityRules) {
  const { fidelity, authentication, central, authorization, limits } = defaultSettings();
  const { token } = authentication;
  const { policy, role, binding } = describeShapes(refusesFaults ? builder : lenientBuilder);
  const policyName = refusesFaults ? name : text;
  return z.strictObject({
    $schema: z.optional(text),
    fidelity: z._default(z.enum(['documented', 'sidecar']), fidelity),
    now: z.optional(moment),
    authentication: z.prefault(
      z.strictObject({
        enabled: z._default(z.boolean(), authentication.enabled),
        mode: z._default(z.enum(['None', 'Native', 'SSO']), authentication.mode),
        keys: z.prefault(z.strictObject({ active: z.optional(name), passive: z._default(z.array(name), []) }), {}),
        token: z.prefault(
          z.strictObject({
            user: z._default(text, token.user),
            ttl: z.prefault(
              z.strictObject({
                min: z._default(duration, formatSeconds(token.minMs)),
                max: z._default(duration, formatSeconds(token.maxMs)),
                default: z._default(duration, formatSeconds(token.defaultMs)),
              }),
              {},
            ),
          }),
          {},
        ),
      }),
      {},
    ),
    central: z._default(z.boolean(), central),
    authorization: z.prefault(
      z.strictObject({
        type: z._default(z.enum(['central', 'central-permissive', 'always', 'never']), authorization.type),
        mode: z._default(z.enum(['None', 'Native', 'RBAC']), authorization.mode),
      }),
      {},
    ),
    users: z._default(z.array(z.strictObject({ name, password: z._default(text, '') })), []),
    policies: z.optional(named(policyName, policy)),
    roles: z.optional(named(policyName, role)),
    bindings: z._default(z.array(binding), []),
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
