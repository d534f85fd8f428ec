import { isObject } from '../../base/lib/values.js';
import type { MadeDecision } from '../decision-line/made-decision.js';
import { knownFields } from './format-line.js';

/** The value of an attribute of OpenTelemetry. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Adds a field, or the fields of a field. */
function add(attributes: Record<string, AttributeValue>, name: string, value: unknown): void {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') attributes[name] = value;
  else if (Array.isArray(value)) {
    attributes[name] = value.map((item) => (isObject(item) ? JSON.stringify(item) : String(item)));
  } else if (isObject(value)) {
    for (const [field, inner] of Object.entries(value)) add(attributes, `${name}.${field}`, inner);
  }
}

/**
 * Returns a decision as attributes of OpenTelemetry, for an event of a span or a log record. They have the names of the
 * line's fields, with a dot for a field of a field: `action`, `effect`, `subject.user`. The context, the time and the
 * ids of the trace are left out, as are fields that no line has; statements of `because` are JSON.
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
  // A trace has its own ids.
  const { traceId: _, spanId: __, ...fields } = knownFields(decision);
  const attributes: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(fields)) add(attributes, name, value);
  return attributes;
}
