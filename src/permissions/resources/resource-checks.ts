import * as z from 'zod/mini';
import { parseDuration } from '../../base/lib/duration.js';
import type { IssuePath } from '../../base/lib/text/paths.js';
import { isObject } from '../../base/lib/values.js';
import { superAdmin } from '../../policy/model/fresh-deployment.js';
import { findIssues } from '../format/file-checks.js';
import { policySchema as policy } from '../format/scope-schema.js';
import { name, text, textLike } from '../format/value-schemas.js';
import type { ParsedFile } from '../format/yaml.js';
import { byPlace, type PermissionsIssue } from '../model/permissions-error.js';
import { type CustomResourceKind, resourceGroup, resourceVersion } from '../model/resource-kinds.js';
import { suggestion } from '../model/suggestion.js';
import { deploymentFault, resourceNameFault } from './resource-names.js';

// The API server drops unknown fields, and refuses other things before the operator sees them; the operator refuses the
// rest, and names no reason but in its log. Both kinds of refusal are errors here.

const leastTtlMs = 15 * 60_000;

const resourceName = /* @__PURE__ */ textLike(resourceNameFault);
const deploymentName = /* @__PURE__ */ textLike(deploymentFault);

/** Checks a reference even if it has unknown fields, but not if one of its own is faulty: zod may leave that out. */
const unlessFaulty = {
  when: ({ issues }: { readonly issues: readonly { readonly path?: readonly PropertyKey[] | undefined }[] }) =>
    issues.every(({ path: [field] = [] }) => field !== 'name' && field !== 'direct'),
};
const isReference = (value: unknown): value is { readonly name?: unknown; readonly direct?: unknown } =>
  isObject(value);

/** A reference: a name, or a direct one. */
const createReference = (isReserved: boolean) =>
  z.strictObject({ name: z.optional(resourceName), direct: z.optional(name) }).check(
    z.refine((value) => !isReference(value) || (value.name === undefined) !== (value.direct === undefined), {
      error: 'expected one of the fields name, direct',
      ...unlessFaulty,
    }),
    z.refine((value) => !isReserved || !isReference(value) || value.direct !== superAdmin, {
      error: `the operator does not bind ${superAdmin}`,
      path: ['direct'],
      ...unlessFaulty,
    }),
  );

const ttl = /* @__PURE__ */ textLike((value) => {
  const ms = parseDuration(value);
  if (ms === undefined) return 'expected a duration like "2h" or "90m"';
  return ms < leastTtlMs ? 'must be at least 15m' : undefined;
});

/** The schemas of specs by kind. */
function createSpecSchemas(): ReadonlyMap<string, z.ZodMiniType> {
  const deployment = z.strictObject({ name: deploymentName });
  const [reference, role] = [createReference(false), createReference(true)];
  const scope = z.optional(z.strictObject({ policy: z.optional(policy), ref: z.optional(reference) }));
  const tokenRole = z.strictObject({ role: z.optional(reference), scope });
  const schemas: Readonly<Record<CustomResourceKind, z.ZodMiniType>> = {
    ArangoPermissionPolicy: z.strictObject({ deployment, policy, description: z.optional(text) }),
    ArangoPermissionRole: z.strictObject({ deployment, description: z.optional(text) }),
    ArangoPermissionPolicyRoleBinding: z.strictObject({ deployment, policy: reference, role }),
    ArangoPermissionRoleUserBinding: z.strictObject({ deployment, role, userName: name, scope: policy }),
    ArangoPermissionRoleGroupBinding: z.strictObject({ deployment, role, groupName: name, scope: policy }),
    ArangoPermissionToken: z.strictObject({
      deployment,
      ttl: z.optional(ttl),
      policy: z.optional(policy),
      scope: z.optional(policy),
      roles: z.optional(z.array(tokenRole)),
    }),
  };
  return new Map(Object.entries(schemas));
}

const specSchemas = /* @__PURE__ */ createSpecSchemas();

/** True for a kind of the operator's. */
export const isCustomResourceKind = (kind: unknown): kind is CustomResourceKind =>
  typeof kind === 'string' && specSchemas.has(kind);

const metadata = /* @__PURE__ */ z.object({
  name: resourceName,
  namespace: /* @__PURE__ */ z.optional(deploymentName),
  uid: /* @__PURE__ */ z.optional(text),
});

/** The schema of a custom resource with this schema of its spec. */
const createResourceSchema = (spec: z.ZodMiniType) =>
  z.strictObject({
    apiVersion: z.custom((version) => version === resourceVersion, `expected ${resourceVersion}`),
    kind: z.unknown(),
    metadata,
    spec,
    status: z.optional(z.unknown()),
  });

/** True for a document of Kubernetes that is not for the operator. */
export function isOther({ apiVersion, kind }: Readonly<Record<string, unknown>>): boolean {
  const group = String(apiVersion).split('/', 1)[0];
  return group !== resourceGroup && !/^Arango\s*Permission/i.test(String(kind));
}

/** The problems of a custom resource, and its traps. */
interface CheckedResource {
  readonly isValid: boolean;
  /** The problems, without those of names that were refused before. */
  readonly issues: readonly PermissionsIssue[];
  readonly findings: readonly PermissionsIssue[];
}

/**
 * Checks a custom resource at a path of a document.
 * @param refused the names that Kubernetes refuses, to which those of this resource are added: others refer to them.
 */
export function checkResource(
  parsed: ParsedFile,
  path: IssuePath,
  value: unknown,
  refused: Set<string>,
): CheckedResource {
  // The cast: a document of Kubernetes is an object.
  const { kind } = value as Readonly<Record<string, unknown>>;
  const spec = specSchemas.get(String(kind));
  if (spec === undefined) {
    const hint = suggestion(String(kind), specSchemas.keys());
    const message = `unknown kind${hint}; accepted are ${[...specSchemas.keys()].join(', ')}`;
    return { isValid: false, issues: [parsed.issueAt([...path, 'kind'], message)], findings: [] };
  }
  const issues = findIssues(createResourceSchema(spec), value);
  const isNew = ({ message, input }: (typeof issues)[number]) => {
    const isName = typeof input === 'string' && [resourceNameFault(input), deploymentFault(input)].includes(message);
    const key = `${message} ${input}`;
    return !isName || (!refused.has(key) && refused.add(key).has(key));
  };
  const place = (isTrap: boolean) =>
    issues
      .filter((issue) => issue.isUnknownField === isTrap && (isTrap || isNew(issue)))
      .map(({ path: below, message, atKey }) =>
        parsed.issueAt([...path, ...below], isTrap ? `${message}; the API server drops it` : message, atKey),
      )
      .sort(byPlace([parsed.file]));
  return { isValid: issues.every(({ isUnknownField }) => isUnknownField), issues: place(false), findings: place(true) };
}
