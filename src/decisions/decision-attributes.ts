import type { MadeDecision } from '../decision-line/made-decision.js';
import { isObject } from '../lib/values.js';

/** The value of an attribute of OpenTelemetry. */
export type AttributeValue = string | number | boolean | readonly string[];

/** The fields that never become attributes: a trace has its own time and ids, and contexts may hold anything. */
const left: ReadonlySet<string> = new Set(['time', 'traceId', 'spanId', 'context']);

function flatten(value: unknown, name: string, into: Record<string, AttributeValue>): void {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') into[name] = value;
  else if (Array.isArray(value))
    into[name] = value.map((item) => (isObject(item) ? JSON.stringify(item) : String(item)));
  else if (isObject(value)) {
    for (const [field, inner] of Object.entries(value)) flatten(inner, name === '' ? field : `${name}.${field}`, into);
  }
}

/**
 * Returns a decision as attributes of OpenTelemetry, for an event of a span or a log record. They have the names of the
 * line's fields, with a dot for a field of a field: `action`, `effect`, `subject.user`. The context, the time and the
 * ids of the trace are left out; statements of `because` are JSON.
 * @example
 * ```ts
 * import { decisionAttributes } from 'arango-services/decisions';
 *
 * const subject = { user: 'alice' };
 * const attributes = decisionAttributes({ subject, action: 'orders:read', resource: 'order:7', effect: 'Allow' });
 * attributes['subject.user']; // 'alice'
 * ```
 */
export function decisionAttributes(decision: MadeDecision): Readonly<Record<string, AttributeValue>> {
  const attributes: Record<string, AttributeValue> = {};
  const shown = Object.entries(decision).filter(([name]) => !left.has(name));
  flatten(Object.fromEntries(shown), '', attributes);
  return attributes;
}
