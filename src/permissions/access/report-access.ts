import { remember } from '../../base/lib/remember.js';
import { formatRegion } from '../../policy/analysis/format-regions.js';
import { grants } from '../../policy/analysis/index.js';
import type { Fidelity, Policy } from '../../policy/index.js';
import { describeScope } from '../../policy/model/scope-forms.js';
import { bindingKey } from '../model/binding-key.js';
import type { FilePlace } from '../model/permissions-error.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { type AnyBinding, allBindings, ownerOf } from '../model/plan-change.js';

/** A binding as a reviewer reads it. */
export interface ReportRow {
  /** The user; undefined for the binding of a group. */
  readonly user?: string | undefined;
  readonly group?: string | undefined;
  readonly role: string;
  /** The scope in words, or its statements. */
  readonly scope: string;
  /** Access by this binding alone, a line for each action and resource. */
  readonly access: readonly string[];
  /** The place of the binding; undefined if no file has it. */
  readonly file?: string | undefined;
  /** From 1. */
  readonly line?: number | undefined;
  /** The time of the last logged question that the binding allows; null if there is none, undefined without a log. */
  readonly lastUsed?: string | null | undefined;
}

/** The bindings that differ from those of an earlier report. */
export interface ReportChanges {
  readonly added: readonly ReportRow[];
  readonly removed: readonly ReportRow[];
  /** Bindings whose scope or access has changed. */
  readonly changed: readonly { readonly before: ReportRow; readonly after: ReportRow }[];
}

/** The places and last uses of bindings for a report, by the keys of bindings. */
export interface ReportSources {
  readonly fidelity: Fidelity;
  placeOf(key: string): FilePlace | undefined;
  /** Undefined without a log. */
  readonly lastUses?: ReadonlyMap<string, string> | undefined;
}

function scopeWords(scope: Policy | null | undefined): string {
  if (!scope) return 'none: the binding allows nothing';
  const words = describeScope(scope);
  if (words !== undefined) return words;
  const texts = scope.statements.map(({ effect, actions, resources }) => {
    const pair = `${actions.join(', ')} on ${resources.join(', ')}`;
    return effect === 'Allow' ? pair : `never ${pair}`;
  });
  return texts.join('; ').replace(/^\* on \*$/, 'everything') || 'nothing';
}

/** The role and its policies: a state is read whole, however many others it has. */
function partsOf({ policies, roles }: PermissionsState, name: string): Pick<PermissionsState, 'policies' | 'roles'> {
  const role = roles.get(name);
  const own = [...new Set(role?.policies)].flatMap((policy) => {
    const content = policies.get(policy);
    return content ? [[policy, content] as const] : [];
  });
  return { policies: new Map(own), roles: new Map(role && [[name, role]]) };
}

/** Lists the bindings of a state with the access that each gives by itself, in the order of their owners and roles. */
export function reportAccess(state: PermissionsState, sources: ReportSources): ReportRow[] {
  const { fidelity, placeOf, lastUses } = sources;
  const byBinding = new Map<string, readonly string[]>();
  const accessOf = ({ role, scope }: AnyBinding): readonly string[] =>
    remember(byBinding, JSON.stringify([role, scope]), () => {
      const alone = { ...partsOf(state, role), bindings: [{ user: 'holder', role, scope }] };
      return grants(alone, { user: 'holder' }, { fidelity }).map(formatRegion);
    });
  const rows = allBindings(state).map((binding) => {
    const key = bindingKey(binding);
    const { file, line } = placeOf(key) ?? {};
    return {
      ...ownerOf(binding),
      role: binding.role,
      scope: scopeWords(binding.scope),
      access: accessOf(binding),
      ...(file !== undefined && { file, line }),
      ...(lastUses && { lastUsed: lastUses.get(key) ?? null }),
    };
  });
  const sortKey = (row: ReportRow) => JSON.stringify([row.group !== undefined, row.user ?? row.group, row.role]);
  return rows.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

/** Compares the rows of two reports by owner and role. */
export function changesSince(before: readonly ReportRow[], after: readonly ReportRow[]): ReportChanges {
  const [old, current] = [before, after].map((rows) => new Map(rows.map((row) => [bindingKey(row), row])));
  const contentOf = ({ scope, access }: ReportRow) => JSON.stringify([scope, access]);
  return {
    added: after.filter((row) => !old?.has(bindingKey(row))),
    removed: before.filter((row) => !current?.has(bindingKey(row))),
    changed: after.flatMap((row) => {
      const was = old?.get(bindingKey(row));
      return was && contentOf(was) !== contentOf(row) ? [{ before: was, after: row }] : [];
    }),
  };
}
