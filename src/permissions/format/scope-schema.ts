import * as z from 'zod/mini';
import { isObject } from '../../base/lib/values.js';
import { databaseFault, pairFault, requestFault } from '../../policy/model/scope-faults.js';
import type { ScopeRequest } from '../../policy/model/scope-forms.js';
import { describeShapes } from '../../policy/model/shape.js';
import { action, effect, name, resource, text, textLike } from './value-schemas.js';

/** The schema of a policy, in files and in custom resources. */
export const { policy: policySchema } = /* @__PURE__ */ describeShapes<z.ZodMiniType>({
  effect,
  action,
  resource,
  name,
  description: /* @__PURE__ */ z.optional(text),
  object: (fields) => z.strictObject(fields),
  list: (item) => z.array(item),
  texts: (item) => z.array(item),
  nullish: (field) => z.optional(field),
});

export const database = /* @__PURE__ */ textLike(databaseFault);
export const pair = /* @__PURE__ */ textLike(pairFault);
/** A list that is not empty. */
export const pairs = /* @__PURE__ */ z.array(pair);
const somePairs = /* @__PURE__ */ z.optional(pairs);

/** A scope as `scopeOf` takes it: `{ database: shop }`. */
export const requestSchema = /* @__PURE__ */ z
  .strictObject({
    database: z.optional(database),
    admin: z.optional(z.boolean()),
    collections: somePairs,
    views: somePairs,
    graphs: somePairs,
    analyzers: somePairs,
    pattern: z.optional(resource),
    everything: z.optional(z.literal(true)),
  } satisfies { readonly [Name in keyof Required<ScopeRequest>]: z.ZodMiniType })
  .check(
    z.refine((request) => requestFault(request) === undefined, {
      // Skipped if a field has an issue, because zod may leave that field out of the value.
      when: ({ value, issues }) => isObject(value) && issues.every(({ path = [] }) => path.length === 0),
      // Otherwise zod would take an object with unknown fields for a request, because its fields are optional.
      abort: true,
      // The cast: this is the value that the predicate above has refused.
      error: ({ input }) => requestFault(input as ScopeRequest),
    }),
  );
