import * as z from 'zod/mini';
import { isObject, loneSurrogate } from '../../base/lib/values.js';
import { actionFault, resourceFault } from '../../policy/model/pattern.js';
import { nameFault } from '../../policy/model/predefined-names.js';

const surrogateFault = (value: string) => (loneSurrogate.test(value) ? 'holds a lone surrogate' : undefined);

// The schemas of single values in files. They check files; scripts/lib/schemas generates the published JSON Schemas
// from them, with its own translation of the custom rules here.

/** Text in which `fault` finds no problem. `atKey` places an issue of a key at the key, not at the key's value. */
export const textLike = (fault: (text: string) => string | undefined, atKey = false): z.ZodMiniString =>
  z.string().check(
    z.refine((value) => fault(value) === undefined, {
      // The cast: the rule has seen the same text.
      error: ({ input }) => fault(input as string),
      params: { atKey },
    }),
  );

/** A description, or another text without rules. */
export const text = /* @__PURE__ */ textLike(surrogateFault);
export const effect = z.enum(['Allow', 'Deny']);
export const action = /* @__PURE__ */ textLike(actionFault);
export const resource = /* @__PURE__ */ textLike(resourceFault);
/** The name of a policy, role, user or scope. */
export const name = /* @__PURE__ */ textLike(nameFault);
/** A file to include. */
export const file = /* @__PURE__ */ textLike((value) => (value === '' ? 'must not be empty' : undefined));

/** The name of a value, which is its key. */
export const key = /* @__PURE__ */ textLike((value) => {
  const fault = nameFault(value);
  return fault && `the name ${fault}`;
}, true);

/** A file or a folder below the folder of a file, which is the key of a value. */
export const pathKey = /* @__PURE__ */ textLike(
  (value) =>
    /^(?:\/|[A-Za-z][A-Za-z0-9+.-]*:|$)|\\|(?:^|\/)\.\.(?:\/|$)/.test(value)
      ? 'expected a file like "teams/stock.yaml", or a folder like "teams/", relative to this file and below its folder'
      : undefined,
  true,
);

/** Values by name. A Map holds them, because zod's record drops `__proto__`, which is a valid name. */
export const named = <T extends z.ZodMiniType>(value: T, by = key) =>
  z.pipe(
    z.transform((record) => (isObject(record) ? new Map(Object.entries(record)) : record)),
    z.map(by, value),
  );
