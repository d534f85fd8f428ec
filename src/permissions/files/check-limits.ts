import type { IssuePath } from '../../base/lib/text/paths.js';
import { formatPair } from '../../policy/analysis/format-regions.js';
import { type Area, meetAll, subtract, toRegionPair } from '../../policy/analysis/region.js';
import { Space } from '../../policy/analysis/space.js';
import { Work } from '../../policy/analysis/work.js';
import type { Policy } from '../../policy/index.js';
import { type CollectedFiles, sectionOf } from '../format/collected-files.js';
import type { FileLimit } from '../format/file-schema.js';
import type { Owned } from '../format/locate.js';
import type { ParsedFile } from '../format/yaml.js';
import { patternsOf } from '../model/ownership.js';
import type { Manage } from '../model/permissions-state.js';
import type { AnyBinding } from '../model/plan-change.js';
import { Limit, limitsByFile } from './limits.js';
import type { FilePaths, Inclusion } from './load-files.js';
import type { Raw } from './sound-parts.js';

/** The files of one call, with their valid parts; the first one may have limits. */
export interface LimitedFiles {
  readonly contents: readonly (readonly [ParsedFile, Raw])[];
  /** The documents of files of custom resources. */
  readonly documents: readonly ParsedFile[];
  readonly paths: ReadonlyMap<string, FilePaths>;
  readonly inclusions: readonly Inclusion[];
}

/** The scopes of the items of a file, with their paths: by name, in place, or missing. */
function* namedScopes(raw: Raw): Generator<readonly [path: IssuePath, scope: unknown]> {
  for (const section of ['roles', 'bindings', 'groupBindings'] as const) {
    const items = raw[section] ?? [];
    for (const [key, item] of Object.entries(items)) {
      yield [[section, Array.isArray(items) ? Number(key) : key, 'scope'], Object(item).scope];
    }
  }
}

/** A policy whose content no file has may allow anything. */
const anything: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };

/** Reads the limits of the first file, and reports those of other files and those of no file. */
function readLimits(all: CollectedFiles, { contents, paths }: LimitedFiles): Limit[] {
  return contents.flatMap(([parsed, { limits }], index) => {
    if (limits === undefined || limits === null) return [];
    if (index > 0) {
      all.report({ parsed, path: ['limits'] }, 'limits stand in the first file, which includes this one', true);
      return [];
    }
    // The cast: `checkFile` has validated the file.
    return Object.entries(limits as Readonly<Record<string, FileLimit>>).map(([path, content]) => {
      const limit = new Limit(path, content, { parsed, path: ['limits', path] });
      const names = [...paths.values()];
      if (all.knowsNames && !names.some((name) => limit.isOf(name))) {
        const known = names.flatMap(([name = '']) => [name, name.slice(0, name.lastIndexOf('/') + 1)]);
        const hint = all.suggest(path, known);
        all.report(limit.owned, `no file that is read has this path${hint}; that of a folder ends with "/"`, true);
      }
      return limit;
    });
  });
}

/** Checks what limited files grant. */
class LimitCheck {
  readonly #all: CollectedFiles;
  readonly #limitsOf: (parsed: ParsedFile) => readonly Limit[];
  readonly #work = new Work({});
  readonly #space = new Space(this.#work);

  constructor(all: CollectedFiles, limitsOf: (parsed: ParsedFile) => readonly Limit[]) {
    this.#all = all;
    this.#limitsOf = limitsOf;
    this.#work.at = 'the check of "limits"';
  }

  /** Reports an item that a limited file grants beyond its limits. */
  item(id: string, owned: Owned): void {
    const [section, name] = sectionOf(id);
    const limits = this.#limitsOf(owned.parsed);
    if (section === 'binding') this.#binding(name, owned, limits);
    for (const limit of limits) {
      if (section === 'policies') this.#policy(name, owned, limit);
      else if (section === 'roles') this.#role(name, owned, limit);
    }
  }

  /** Reports what the file owns beyond its limits: another file could not define it any more. */
  manage(parsed: ParsedFile, manage: Partial<Manage>): void {
    for (const limit of this.#limitsOf(parsed)) {
      for (const kind of ['roles', 'bindings'] as const) {
        for (const [i, pattern] of patternsOf(manage, kind).entries()) {
          if (limit.hasRoles(pattern)) continue;
          const path = kind === 'roles' ? ['manage', kind, i] : ['manage', kind, 'roles', i];
          this.#all.report({ parsed, path }, this.#beyondRoles(`the pattern ${JSON.stringify(pattern)}`, limit));
        }
      }
    }
  }

  /** Reports a file that defines policies or roles, where its limits have names of roles only. */
  access(parsed: ParsedFile, { policies, roles }: Raw): void {
    const limits = this.#limitsOf(parsed);
    const [limit] = limits;
    const defines = [policies, roles].some((section) => Object.keys(Object(section)).length > 0);
    if (limit === undefined || !defines || limits.some(({ allowed }) => allowed)) return;
    const message = `needs "actions" or "resources": ${parsed.file} defines roles or policies, which could allow anything`;
    this.#all.report(limit.owned, message, true);
  }

  /** Reports a file that a limited file includes without its limits. */
  inclusion({ from, index, paths }: Inclusion): void {
    const limit = this.#limitsOf(from).find((limit) => !limit.isOf(paths));
    if (limit === undefined) return;
    const owned = { parsed: from, path: ['include', index] };
    this.#all.report(owned, `the limits of this file (${limit.place}) do not reach it: include it in the first file`);
  }

  /** Reports a scope of a limited file in a file without its limits: the former could widen what the latter grants. */
  scopes(parsed: ParsedFile, raw: Raw): void {
    for (const [path, scope] of namedScopes(raw)) {
      const owner = typeof scope === 'string' ? this.#all.owners.get(`scope ${scope}`) : undefined;
      const limit = owner && this.#limitsOf(owner.parsed).find((limit) => !this.#limitsOf(parsed).includes(limit));
      if (limit === undefined) continue;
      const message = `the scope ${JSON.stringify(scope)} is of a file with limits (${limit.place}): define one here`;
      this.#all.report({ parsed, path }, message);
    }
  }

  #beyondRoles = (what: string, limit: Limit): string =>
    `${what} is beyond the limits of this file (${limit.place}): its roles are ${limit.roles}`;

  /** Reports what areas have beyond a limit. */
  #beyond(areas: readonly Area[], denied: readonly Policy[], limit: Limit, owned: Owned, note = ''): boolean {
    const { allowed } = limit;
    if (allowed === undefined) return false;
    const allowing = this.#space.rulesOf({ statements: [allowed] }).allow.map(({ pair }) => pair);
    const denying = denied.flatMap((policy) => this.#space.rulesOf(policy).deny);
    const others = [...allowing, ...denying].map((pair): Area => ({ pair, except: [], because: [] }));
    const { value: beyond } = subtract(areas, others, this.#work).next();
    if (beyond === undefined) return false;
    const what = `allows ${formatPair(toRegionPair(beyond.pair))}`;
    const within = `${allowed.actions.join(', ')} on ${allowed.resources.join(', ')}`;
    this.#all.report(owned, `${what}${note}, beyond the limits of this file (${limit.place}): ${within}`);
    return true;
  }

  #areasOf(policy: Policy, statement?: number): Area[] {
    const rules = this.#space
      .rulesOf(policy)
      .allow.filter((rule) => statement === undefined || rule.statement === statement);
    return rules.map(({ pair }) => ({ pair, except: [], because: [] }));
  }

  #policy(name: string, { parsed, path }: Owned, limit: Limit): void {
    const policy = this.#all.policies.get(name);
    for (const index of policy?.statements.keys() ?? []) {
      const owned = { parsed, path: [...path, 'statements', index] };
      // The cast: the policy has the statement.
      this.#beyond(this.#areasOf(policy as Policy, index), [policy as Policy], limit, owned);
    }
  }

  /** True for an item whose own file was checked by the limit. */
  #isChecked(id: string, limit: Limit): boolean {
    const owner = this.#all.owners.get(id);
    return owner !== undefined && this.#limitsOf(owner.parsed).includes(limit);
  }

  #role(name: string, { parsed, path }: Owned, limit: Limit): void {
    if (!limit.hasRole(name)) {
      this.#all.report({ parsed, path }, this.#beyondRoles(`the role ${JSON.stringify(name)}`, limit), true);
    }
    const written = (parsed.value as { readonly roles?: Readonly<Record<string, { readonly policies?: unknown }>> })
      .roles;
    const listed = written?.[name]?.policies;
    const policies = this.#all.roles.get(name)?.policies ?? [];
    const denied = policies.flatMap((policy) => this.#all.policies.get(policy) ?? []);
    for (const policy of policies) {
      if (this.#isChecked(`policies ${policy}`, limit)) continue;
      const content = this.#all.policies.get(policy);
      if (content === undefined && !(this.#all.knowsNames && policy.startsWith('managed:'))) continue;
      const at = Array.isArray(listed) ? listed.indexOf(policy) : 0;
      const note = content ? '' : ', because no file has its content';
      const owned = { parsed, path: [...path, 'policies', at] };
      this.#beyond(this.#areasOf(content ?? anything), denied, limit, owned, note);
    }
  }

  #binding(key: string, { parsed, path }: Owned, limits: readonly Limit[]): void {
    const binding = this.#all.bindings.get(key);
    if (binding === undefined) return;
    const owned = { parsed, path: [...path, 'role'] };
    const { role } = binding;
    const refusing = limits.find((limit) => !limit.hasRole(role));
    if (refusing) this.#all.report(owned, this.#beyondRoles(`the role ${JSON.stringify(role)}`, refusing));
    for (const limit of refusing ? [] : limits) {
      if (!this.#isChecked(`roles ${role}`, limit)) this.#bound(binding, limit, owned);
    }
  }

  /** Reports what a binding to a role of another file grants within its scope beyond a limit. */
  #bound({ role, scope }: AnyBinding, limit: Limit, owned: Owned): void {
    const defined = this.#all.roles.get(role);
    if ((defined === undefined && !this.#all.knowsNames) || !scope) return;
    const contents = defined?.policies.map((policy) => this.#all.policies.get(policy) ?? anything) ?? [anything];
    const rules = contents.flatMap((policy) => this.#space.rulesOf(policy).allow);
    const pairs = this.#space.rulesOf(scope).allow.map(({ pair }) => pair);
    const areas = meetAll(pairs, rules, this.#work).map((pair): Area => ({ pair, except: [], because: [] }));
    const note = defined ? '' : ', because no file defines the role';
    this.#beyond(areas, [...contents, scope], limit, owned, note);
  }
}

/** Reports what files grant, own and include beyond the limits of the first file. */
export function checkLimits(all: CollectedFiles, files: LimitedFiles): void {
  const limits = readLimits(all, files);
  if (limits.length === 0) return;
  const limitsOf = limitsByFile(limits, files.paths);
  const check = new LimitCheck(all, limitsOf);
  for (const inclusion of files.inclusions) check.inclusion(inclusion);
  for (const parsed of files.documents) {
    const [limit] = limitsOf(parsed);
    if (limit === undefined) continue;
    const message = `limits (${limit.place}) do not reach custom resources, which kubectl applies: limit them there`;
    all.report({ parsed, path: [] }, message);
  }
  for (const [parsed, raw] of files.contents) {
    // The cast: `checkFile` has validated the file.
    check.manage(parsed, (raw.manage ?? {}) as Partial<Manage>);
    check.scopes(parsed, raw);
    check.access(parsed, raw);
  }
  for (const [id, owned] of all.owners) check.item(id, owned);
}
