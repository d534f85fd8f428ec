import * as z from 'zod/mini';
import { isObject } from '../../base/lib/values.js';
import { actionFault, resourceFault } from '../../policy/model/pattern.js';
import { nameFault } from '../../policy/model/predefined-names.js';

// The schemas of single values in files. They check files; ../json-schema.ts generates the published JSON Schemas from
// them, with its own translation of the custom rules here.

export const text = z.string();

/** Text without a problem; `fault` returns the problem. */
export const textLike = (fault: (text: string) => string | undefined): z.ZodMiniString =>
  text.check(
    z.refine((value) => fault(value) === undefined, {
      // The cast: the rule has seen the same text.
      error: ({ input }) => fault(input as string),
    }),
  );

export const effect = z.enum(['Allow', 'Deny']);
export const action = /* @__PURE__ */ textLike(actionFault);
export const resource = /* @__PURE__ */ textLike(resourceFault);
/** The name of a policy, role, user or scope. */
export const name = /* @__PURE__ */ textLike(nameFault);
/** A file to include. */
export const file = /* @__PURE__ */ textLike((value) => (value === '' ? 'must not be empty' : undefined));

/** The name of a value, which is the key of it; its issues are placed there. */
export const key = /* @__PURE__ */ text.check(
  z.refine((value) => nameFault(value) === undefined, {
    // The cast: as above.
    error: ({ input }) => `the name ${nameFault(input as string)}`,
    params: { atKey: true },
  }),
);

/** Values by name. A Map holds them, because zod's record drops `__proto__`, which is a valid name. */
export const named = <T extends z.ZodMiniType>(value: T) =>
  z.pipe(
    z.transform((given) => (isObject(given) ? new Map(Object.entries(given)) : given)),
    z.map(key, value),
  );
