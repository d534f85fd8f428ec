import { remember } from '../../base/lib/remember.js';
import { formatPair } from '../../policy/analysis/format-regions.js';
import { type Area, meetAll, type Pair, subtract, toRegionPair } from '../../policy/analysis/region.js';
import { type Rule, Space } from '../../policy/analysis/space.js';
import { Work } from '../../policy/analysis/work.js';
import type { Policy } from '../../policy/index.js';
import { type CollectedFiles, sectionOf } from '../format/collected-files.js';
import type { Owned } from '../format/locate.js';
import type { ParsedFile } from '../format/yaml.js';
import type { AnyBinding } from '../model/plan-change.js';
import { beyondRoles, type Limit } from './limits.js';

/** Pairs of actions and resources that an item allows. */
interface Granted {
  readonly pairs: readonly Pair[];
  /** The policies whose Deny statements take from these pairs. */
  readonly denying: readonly Policy[];
  /** The reason why the item counts as allowing everything. */
  readonly note?: string;
}

/** Stands for a policy whose content no file has. */
const anything: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };

const pairsOf = (rules: readonly Rule[]): Pair[] => rules.map(({ pair }) => pair);

const toArea = (pair: Pair): Area => ({ pair, except: [], because: [] });

/** Checks the policies, roles and bindings of files with limits. */
export class LimitedAccess {
  readonly #all: CollectedFiles;
  readonly #limitsOf: (parsed: ParsedFile) => readonly Limit[];
  readonly #work = new Work({});
  readonly #space = new Space(this.#work);
  /** Caches the problem of each role and scope, empty for none, because many bindings share both. */
  readonly #faults = new Map<Limit, Map<string, string>>();

  constructor(all: CollectedFiles, limitsOf: (parsed: ParsedFile) => readonly Limit[]) {
    this.#all = all;
    this.#limitsOf = limitsOf;
    this.#work.at = 'the check of "limits"';
  }

  /** Reports an item, by its key, that allows or names more than the limits of its file. */
  check(id: string, owned: Owned): void {
    const [section, name] = sectionOf(id);
    const limits = this.#limitsOf(owned.parsed);
    if (limits.length === 0) return;
    const binding = section === 'binding' ? this.#all.bindings.get(name) : undefined;
    if (binding) this.#binding(binding, owned, limits);
    for (const limit of limits) {
      if (section === 'policies') this.#policy(name, owned, limit);
      else if (section === 'roles') this.#role(name, owned, limit);
    }
  }

  /** Reports what is granted beyond a limit. */
  #compare(granted: Granted, limit: Limit, owned: Owned): void {
    const fault = this.#faultOf(granted, limit);
    if (fault !== '') this.#all.report(owned, fault);
  }

  /** Describes the first region that is granted beyond a limit; empty if there is none. */
  #faultOf({ pairs, denying, note = '' }: Granted, limit: Limit): string {
    const { allowed } = limit;
    if (allowed === undefined) return '';
    const inside = pairsOf(this.#space.rulesOf(allowed).allow);
    const denied = denying.flatMap((policy) => this.#space.rulesOf(policy).deny);
    const { value: beyond } = subtract(pairs.map(toArea), [...inside, ...denied].map(toArea), this.#work).next();
    if (beyond === undefined) return '';
    const what = `allows ${formatPair(toRegionPair(beyond.pair))}${note}`;
    const within = allowed.statements.map(
      ({ actions, resources }) => `${actions.join(', ')} on ${resources.join(', ')}`,
    );
    return `${what}, beyond the limits of this file (${limit.place}): ${within.join()}`;
  }

  #policy(name: string, { parsed, path }: Owned, limit: Limit): void {
    const policy = this.#all.policies.get(name);
    if (policy === undefined) return;
    const { allow } = this.#space.rulesOf(policy);
    for (const index of policy.statements.keys()) {
      const pairs = pairsOf(allow.filter(({ statement }) => statement === index));
      this.#compare({ pairs, denying: [policy] }, limit, { parsed, path: [...path, 'statements', index] });
    }
  }

  /** True for an item whose own file has the limit, too. */
  #isChecked(id: string, limit: Limit): boolean {
    const owner = this.#all.owners.get(id);
    return owner !== undefined && this.#limitsOf(owner.parsed).includes(limit);
  }

  #role(name: string, { parsed, path }: Owned, limit: Limit): void {
    if (!limit.hasRole(name)) this.#all.report({ parsed, path }, beyondRoles('role', name, limit), true);
    // The cast: `checkFile` has validated the file.
    const { roles } = parsed.value as { readonly roles?: Readonly<Record<string, { readonly policies?: unknown }>> };
    const written = roles?.[name]?.policies;
    const policies = this.#all.roles.get(name)?.policies ?? [];
    const denying = policies.flatMap((policy) => this.#all.policies.get(policy) ?? []);
    for (const policy of policies) {
      const content = this.#all.policies.get(policy);
      // A policy that is in no file was reported already, unless it begins with `managed:`.
      if (this.#isChecked(`policies ${policy}`, limit) || (!content && !policy.startsWith('managed:'))) continue;
      const pairs = pairsOf(this.#space.rulesOf(content ?? anything).allow);
      const at = Array.isArray(written) ? written.indexOf(policy) : 0;
      const note = content ? '' : ', because no file has its content';
      this.#compare({ pairs, denying, note }, limit, { parsed, path: [...path, 'policies', at] });
    }
  }

  #binding(binding: AnyBinding, { parsed, path }: Owned, limits: readonly Limit[]): void {
    const owned = { parsed, path: [...path, 'role'] };
    const { role, scope } = binding;
    const refusing = limits.find((limit) => !limit.hasRole(role));
    if (refusing) return void this.#all.report(owned, beyondRoles('role', role, refusing));
    // A binding without a scope, or to a role that could not be read, was reported already.
    if (!scope || !(this.#all.roles.has(role) || this.#all.knowsNames)) return;
    for (const limit of limits) {
      if (this.#isChecked(`roles ${role}`, limit)) continue;
      const faults = remember(this.#faults, limit, () => new Map<string, string>());
      const key = `${this.#space.rulesOf(scope).serial} ${role}`;
      const fault = remember(faults, key, () => this.#faultOf(this.#grantedBy(role, scope), limit));
      if (fault !== '') this.#all.report(owned, fault);
    }
  }

  /** The pairs that a binding grants: those of its role within its scope. */
  #grantedBy(role: string, scope: Policy): Granted {
    const defined = this.#all.roles.get(role);
    const contents = defined?.policies.map((name) => this.#all.policies.get(name) ?? anything) ?? [anything];
    const rules = contents.flatMap((policy) => this.#space.rulesOf(policy).allow);
    const pairs = meetAll(pairsOf(this.#space.rulesOf(scope).allow), rules, this.#work);
    return { pairs, denying: [...contents, scope], ...(!defined && { note: ', because no file defines the role' }) };
  }
}
