import * as z from 'zod/mini';
import { momentPattern } from '../../../src/base/lib/moment.ts';
import { decisionReasons } from '../../../src/policy/decisions/decision-reasons.ts';

/** Creates the schema of a line of a decision log, for the published JSON Schema and for tests of the reader. */
export function createLineSchema() {
  const count = z.number().check(z.int(), z.minimum(0));
  const moment = z.string().check(z.regex(momentPattern));
  const effect = z.enum(['Allow', 'Deny']);
  const reason = z.enum(decisionReasons);
  const decision = z.looseObject({
    v: z.literal(1),
    kind: z.literal('decision'),
    time: moment,
    decisionId: z.optional(z.string()),
    traceId: z.optional(z.string()),
    spanId: z.optional(z.string()),
    requestId: z.optional(z.string()),
    service: z.optional(z.string()),
    operation: z.optional(z.string()),
    subject: z.looseObject({
      user: z.optional(z.string()),
      userHash: z.optional(z.string()),
      groups: z.optional(z.array(z.string())),
    }),
    action: z.string(),
    resource: z.string(),
    effect,
    reason: z.optional(reason),
    enforced: z.boolean(),
    source: z.optional(z.string()),
    revision: z.optional(z.looseObject({ policies: count, roles: count, bindings: count })),
    because: z.optional(z.array(z.looseObject({ role: z.string(), policy: z.optional(z.string()), statement: count }))),
    durationUs: z.optional(z.number().check(z.minimum(0))),
    shadow: z.optional(z.looseObject({ effect, reason: z.optional(reason), source: z.optional(z.string()) })),
    context: z.optional(z.record(z.string(), z.unknown())),
    masked: z.optional(z.array(z.string())),
  });
  const gap = z.looseObject({ v: z.literal(1), kind: z.literal('gap'), time: moment, dropped: count });
  return z.discriminatedUnion('kind', [decision, gap]);
}
