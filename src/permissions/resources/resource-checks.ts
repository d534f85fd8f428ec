import { parseDuration } from '../../lib/duration.js';
import { Reading } from '../../lib/reading.js';
import { isObject, wrongKind } from '../../lib/values.js';
import { actionFault, resourceFault } from '../../policy/model/pattern.js';
import { describeShapes } from '../../policy/model/shape.js';
import { type Check, effect, type FileIssue, list, object, pattern, text } from '../format/file-checks.js';
import { requiredOf } from '../format/file-schema.js';
import type { ParsedFile } from '../format/yaml.js';
import type { PermissionsIssue } from '../model/error.js';
import { nameFault } from '../model/names.js';
import { type CustomResourceKind, resourceGroup, resourceVersion, superAdmin } from '../model/resource-kinds.js';
import { suggestion } from '../model/suggestion.js';

// The API server drops unknown fields, and refuses other things before the operator sees them; the operator refuses the
// rest, and names no reason but in its log. Both kinds of refusal are errors here.

const longestName = 253;
const leastTtlMs = 15 * 60_000;

/** True for a part of a name in Kubernetes. */
export const isLabel = (text: string): boolean =>
  /^[-a-z0-9]+$/.test(text) && !text.startsWith('-') && !text.endsWith('-');

/** The problem of a name that Kubernetes does not accept. */
export const resourceNameFault = (name: string): string | undefined =>
  name.length <= longestName && name.split('.').every(isLabel)
    ? undefined
    : `must be lower-case letters, digits, "-" and ".", at most ${longestName} characters`;

/** The problem of a deployment's name. */
export const deploymentFault = (name: string): string | undefined =>
  name.length <= 63 && isLabel(name) ? undefined : 'must be lower-case letters, digits and "-", at most 63 characters';

const optional =
  (check: Check): Check =>
  (value, reading) => {
    if (value !== undefined) check(value, reading);
  };

const dropping = (fields: Readonly<Record<string, Check>>, required: readonly string[]): Check =>
  object(fields, required, 'the API server drops it');

const { policy } = /* @__PURE__ */ describeShapes<Check>({
  effect,
  action: pattern(actionFault),
  resource: pattern(resourceFault),
  name: text,
  text,
  object: (fields) => dropping(fields, requiredOf(fields)),
  list,
  texts: list,
  optional,
  nullish: optional,
});

/** Checks a reference: a name, or a direct one. */
const reference =
  (isReserved: boolean): Check =>
  (value, reading) => {
    dropping({ name: optional(pattern(resourceNameFault)), direct: optional(pattern(nameFault)) }, [])(value, reading);
    if (!isObject(value)) return;
    const { name, direct } = value as { readonly name?: unknown; readonly direct?: unknown };
    if ((name === undefined) === (direct === undefined)) reading.report('expected one of the fields name, direct');
    if (isReserved && direct === superAdmin) {
      reading.at('direct', 0, () => reading.report(`the operator does not bind ${superAdmin}`));
    }
  };

const ttl: Check = (value, reading) => {
  text(value, reading);
  const ms = typeof value === 'string' ? parseDuration(value) : 0;
  if (ms === undefined) reading.report('expected a duration like "2h" or "90m"');
  else if (typeof value === 'string' && ms < leastTtlMs) reading.report('must be at least 15m');
};

const kindChecks = /* @__PURE__ */ (() => {
  const deployment = dropping({ name: pattern(deploymentFault) }, ['name']);
  const role = reference(true);
  const tokenRole = dropping(
    {
      role: reference(false),
      scope: optional(dropping({ policy: optional(policy), ref: optional(reference(false)) }, [])),
    },
    [],
  );
  const of = (fields: Readonly<Record<string, Check>>, optionals: Readonly<Record<string, Check>> = {}): Check => {
    const required = { deployment, ...fields };
    const rest = Object.entries(optionals).map(([name, check]) => [name, optional(check)] as const);
    return dropping({ ...required, ...Object.fromEntries(rest) }, Object.keys(required));
  };
  const checks: Readonly<Record<CustomResourceKind, Check>> = {
    ArangoPermissionPolicy: of({ policy }, { description: text }),
    ArangoPermissionRole: of({}, { description: text }),
    ArangoPermissionPolicyRoleBinding: of({ policy: reference(false), role }),
    ArangoPermissionRoleUserBinding: of({ role, userName: pattern(nameFault), scope: policy }),
    ArangoPermissionToken: of({}, { ttl, policy, scope: policy, roles: list(tokenRole) }),
  };
  return new Map(Object.entries(checks));
})();

const anything: Check = () => {};

const metadata: Check = (value, reading) => {
  if (!isObject(value)) return reading.report(wrongKind('an object', value));
  const { name, namespace, uid } = value as Readonly<Record<string, unknown>>;
  if (name === undefined) reading.report('the field "name" is missing');
  else reading.at('name', name, pattern(resourceNameFault));
  if (namespace !== undefined) reading.at('namespace', namespace, pattern(deploymentFault));
  if (uid !== undefined) reading.at('uid', uid, text);
};

/** True for a kind of the operator's. */
export const isCustomResourceKind = (kind: unknown): kind is CustomResourceKind =>
  typeof kind === 'string' && kindChecks.has(kind);

const checkVersion: Check = (version, reading) => {
  if (version === resourceVersion) return;
  reading.report(`expected ${resourceVersion}`);
};

const resource: Check = (value, reading) => {
  // The cast: a document of Kubernetes is an object.
  const { kind } = value as Readonly<Record<string, unknown>>;
  const spec = kindChecks.get(String(kind));
  if (spec === undefined) {
    const message = `unknown kind${suggestion(String(kind), kindChecks.keys())}; accepted are`;
    return reading.at('kind', 0, () => reading.report(`${message} ${[...kindChecks.keys()].join(', ')}`));
  }
  const fields = { apiVersion: checkVersion, kind: anything, metadata, spec, status: anything };
  dropping(fields, ['apiVersion', 'metadata', 'spec'])(value, reading);
};

/** True for a document of Kubernetes that is not for the operator. */
export function isOther({ apiVersion, kind }: Readonly<Record<string, unknown>>): boolean {
  const group = String(apiVersion).split('/', 1)[0];
  return group !== resourceGroup && !/^Arango\s*Permission/i.test(String(kind));
}

/** The problems of a custom resource at a path of a document, and its traps. */
export function checkResource(
  parsed: ParsedFile,
  path: readonly (string | number)[],
  value: unknown,
): { readonly issues: readonly PermissionsIssue[]; readonly findings: readonly PermissionsIssue[] } {
  const reading = new Reading<FileIssue>();
  reading.at(path, value, resource);
  const place = ({ path, message, atKey = false }: FileIssue) => parsed.issueAt(path, message, atKey);
  const [findings, issues] = [true, false].map((wanted) =>
    reading.issues.filter(({ isFinding = false }) => isFinding === wanted).map(place),
  );
  return { issues: issues ?? [], findings: findings ?? [] };
}
