import { asGiven, oneOf, optional, type Reader, type ReadersOf, strictObject } from '../base/lib/readers.js';
import { printable } from '../base/lib/text/printable.js';
import { isObject, wrongKind } from '../base/lib/values.js';
import { type LintFinding, type LintOptions, type LintRule, lint, PolicyError } from '../policy/index.js';
import { deceptionOf } from '../policy/lint/deceptive-names.js';
import { predefinedRoles, superAdmin } from '../policy/model/fresh-deployment.js';
import { platformVersions } from '../policy/model/platform-versions.js';
import type { Permissions } from './files/collect-files.js';
import { permissionsReaders, type ReadPermissionsOptions, readPermissions } from './files/read-permissions.js';
import { byPlace, type FilePlace, PermissionsError } from './model/permissions-error.js';
import { describeItem, itemPaths } from './model/plan-change.js';
import { readInput } from './model/read-argument.js';
import { createSuggestions } from './model/suggestion.js';

/** A mistake in a file of permissions, and its place. */
export interface FileFinding extends FilePlace {
  /**
   * The rule that found the mistake. Besides the rules of `lint`: `invalid` for a mistake that makes the file unusable,
   * `custom-resource` for a trap in a custom resource, `outside-manage` for an item that the file defines but does
   * not own, and `ended-hold` of the command.
   */
  readonly rule: LintRule | 'custom-resource' | 'outside-manage' | 'ended-hold';
  readonly message: string;
}

/** Options of {@link lintPermissions}. */
export interface LintPermissionsOptions extends ReadPermissionsOptions, Omit<LintOptions, 'rules'> {
  /** Rules to leave out: `{ 'unused-role': 'off' }`. */
  readonly rules?: Readonly<Partial<Record<FileFinding['rule'], 'on' | 'off'>>> | undefined;
  /** The version of the platform, whose predefined roles `empty-role` judges. Default: all versions that are known. */
  readonly platform?: (typeof platformVersions)[number] | undefined;
}

export const readLintPermissionsOptions = strictObject({
  ...permissionsReaders,
  // `lint` validates them.
  catalog: asGiven as Reader<LintOptions['catalog']>,
  rules: asGiven as Reader<LintPermissionsOptions['rules']>,
  platform: optional(oneOf(...platformVersions)),
} satisfies ReadersOf<LintPermissionsOptions>);

/** Says why a binding of a predefined role grants nothing; undefined if it grants something. */
function emptyRole(role: string, platform: LintPermissionsOptions['platform']): string | undefined {
  if (platform === '1.4.4') return 'platform 1.4.4 lacks this role: the binding grants nothing';
  if (role === superAdmin) return undefined;
  const later =
    platform === undefined
      ? 'platform 1.4.4 lacks this role, and the later ones that are known give it no policies'
      : `platform ${platform} gives this role no policies`;
  return `${later}: the binding grants nothing`;
}

/** The context of the findings of one call. */
interface Context {
  readonly suggest: ReturnType<typeof createSuggestions>;
  readonly platform: LintPermissionsOptions['platform'];
}

/** Rewords a finding of `lint` for the readers of a file; undefined if it does not apply to files. */
function reword(
  { rule, path, message }: LintFinding,
  permissions: Permissions,
  { suggest, platform }: Context,
): Pick<LintFinding, 'rule' | 'message'> | undefined {
  // Reading the file has reported missing policies already, except those that may exist in the deployment only.
  if (rule === 'missing-policy') return undefined;
  if (rule !== 'missing-role') return { rule, message };
  const [section, index] = path;
  const list = section === 'bindings' ? permissions.bindings : permissions.groupBindings;
  const { role = '' } = list?.[Number(index)] ?? {};
  if (predefinedRoles.includes(role)) {
    const message = emptyRole(role, platform);
    return message === undefined ? undefined : { rule: 'empty-role', message };
  }
  if (role.startsWith('managed:')) return undefined;
  const near = suggest(role, permissions.roles.keys());
  const missing = `no file has the role ${JSON.stringify(role)}${near}; without it the binding grants nothing`;
  return { rule, message: printable(missing) };
}

/** The items that a file defines but does not own. */
const findOutside = ({ outside, locate, ...state }: Permissions, start: FilePlace): FileFinding[] => {
  const pathOf = itemPaths(state);
  return outside.map((item) => {
    const fault = `"manage" of this file does not own the ${describeItem(item)}`;
    const message = printable(`${fault}: add it, or define it elsewhere`);
    return { ...(locate(pathOf(item)) ?? start), rule: 'outside-manage', message };
  });
};

/**
 * Finds probable mistakes in a file of permissions and its includes, each with file, line and column. If the files are
 * invalid, the findings are these mistakes alone; otherwise the findings of `lint`, the traps of custom resources, and
 * items that the file defines but does not own by its `manage`. Sorted by place. A missing role is a finding, although
 * a deployment may have it; switch `missing-role` off in files of bindings alone.
 *
 * @throws PolicyError (code `POLICY`) for options of the rules that are not valid; errors of reading the first file are
 *   passed on.
 *
 * @example
 * ```ts
 * import { formatFindings, lintPermissions } from 'arango-services/permissions';
 *
 * const files = new Map([['permissions.yaml', 'roles: { viewer: { policies: [] } }']]);
 * const findings = await lintPermissions('permissions.yaml', { read: (file) => files.get(file) ?? '' });
 * console.log(formatFindings(findings)); // permissions.yaml:1:10: no binding uses this role (unused-role)
 * ```
 */
export async function lintPermissions(file: string, options: LintPermissionsOptions): Promise<readonly FileFinding[]> {
  const { catalog, rules = {}, platform, ...reading } = readInput(options, 'options', readLintPermissionsOptions);
  // Validated before the file is read. `lint` does not know the rules of files, so they are removed.
  const {
    'custom-resource': trapRule = 'on',
    'outside-manage': manageRule = 'on',
    ...rest
  } = isObject(rules) ? rules : {};
  const engineOptions = { catalog, rules: isObject(rules) ? rest : rules };
  lint({}, engineOptions);
  for (const [name, value] of [['custom-resource', trapRule] as const, ['outside-manage', manageRule] as const]) {
    if (value !== 'on' && value !== 'off') {
      throw new PolicyError([{ path: ['rules', name], message: wrongKind('one of on, off', value) }]);
    }
  }
  let permissions: Permissions;
  try {
    permissions = await readPermissions(file, reading);
  } catch (error) {
    if (!(error instanceof PermissionsError) || error.issues.length === 0) throw error;
    return error.issues.map((issue) => ({ ...issue, rule: 'invalid', message: printable(issue.message) }));
  }
  const start = { file, line: 1, column: 1 };
  const context = { suggest: createSuggestions(), platform };
  const findings = lint(permissions, engineOptions).flatMap((finding): FileFinding[] => {
    const worded = reword(finding, permissions, context);
    if (worded === undefined || rules[worded.rule] === 'off') return [];
    return [{ ...(permissions.locate(finding.path) ?? start), ...worded }];
  });
  const deceptive =
    rules['deceptive-name'] === 'off'
      ? []
      : [...permissions.scopes.keys()].flatMap((name) => {
          const [problem, place] = [deceptionOf(name), permissions.locate(['scopes', name])];
          if (problem === undefined || place === undefined) return [];
          const message = printable(`the name of this scope, ${JSON.stringify(name)}, ${problem}`);
          return [{ ...place, rule: 'deceptive-name' as const, message }];
        });
  const accepted = trapRule === 'off' ? [] : permissions.findings;
  const traps = accepted.map((finding) => ({ ...finding, rule: 'custom-resource' as const }));
  const outside = manageRule === 'off' ? [] : findOutside(permissions, start);
  return [...traps, ...deceptive, ...outside, ...findings].sort(byPlace(permissions.files));
}

/**
 * Formats findings as lines for people, or as JSON. The text may change between versions, so programs should read the
 * data.
 * @example
 * ```ts
 * import { formatFindings } from 'arango-services/permissions';
 *
 * formatFindings([]); // No findings.
 * formatFindings([], 'json'); // {"findings":[]}
 * ```
 */
export function formatFindings(findings: readonly FileFinding[], as: 'text' | 'json' = 'text'): string {
  if (as === 'json') return JSON.stringify({ findings });
  const lines = findings.map(({ file, line, column, rule, message }) =>
    printable(`${file}:${line}:${column}: ${message} (${rule})`),
  );
  return lines.join('\n') || 'No findings.';
}
