import * as z from 'zod/mini';
import type { FieldsOf } from '../format/file-schema.js';
import { name, text, textLike } from '../format/value-schemas.js';
import { type Hold, hasOwner, ownersFault } from './hold.js';

/** The content of a file of holds. */
export interface HoldsFile {
  /** The JSON Schema, for editors: `./node_modules/arango-services/dist/permissions-holds.schema.json`. */
  readonly $schema?: string | undefined;
  /** The revocations that plans respect until they end. */
  readonly holds?: readonly Hold[] | undefined;
}

/** The syntax of a time with a zone. */
export const timePattern = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The problem of a time; undefined if it is one with a zone. A day that a month does not have is refused. */
export function timeFault(value: string): string | undefined {
  const [, year, month, day] = timePattern.exec(value)?.map(Number) ?? [];
  const isDay = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day)).getUTCDate() === day;
  return isDay && !Number.isNaN(Date.parse(value))
    ? undefined
    : 'expected a time with its zone like "2026-12-01T08:00:00Z"';
}

/** The end of a hold. */
export const time = /* @__PURE__ */ textLike(timeFault);
/** A reason. */
export const filled = /* @__PURE__ */ textLike((value) => (value.trim() === '' ? 'must not be empty' : undefined));

export const holdSchema = /* @__PURE__ */ z
  .strictObject({
    user: z.optional(name),
    group: z.optional(name),
    roles: z.optional(z.array(name).check(z.minLength(1, 'expected a role; without "roles" all are held'))),
    until: time,
    reason: filled,
  } satisfies FieldsOf<Hold>)
  .check(z.refine(hasOwner, ownersFault));

export function createHoldsFileSchema() {
  const fields: FieldsOf<HoldsFile> = {
    $schema: z.optional(text),
    holds: z.optional(z.nullable(z.array(holdSchema))),
  };
  return z.strictObject(fields);
}
