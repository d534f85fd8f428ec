import {
  accepting,
  anyText,
  asGiven,
  fieldsOf,
  listOf,
  oneOf,
  optionsOf,
  type Reader,
  type ReadersOf,
  readFields,
  readFlag,
} from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import { comparePartly, type PartialComparison } from '../../policy/analysis/compare-partly.js';
import { createEvaluator, type Fidelity } from '../../policy/index.js';
import { evaluationRules } from '../../policy/model/fidelity.js';
import { fidelityOf } from '../access/answer-basis.js';
import type { Permissions } from '../files/collect-files.js';
import { type Hold, heldBy, readHoldList, withoutHeld } from '../holds/hold.js';
import type { Caller } from '../model/applying-caller.js';
import { checkState } from '../model/check-state.js';
import { isKnownIn, type KnownOwners } from '../model/known-owners.js';
import type { OperatorChanges } from '../model/operator-items.js';
import { Ownership } from '../model/ownership.js';
import type { Manage, PermissionsState } from '../model/permissions-state.js';
import { type BindingItem, type ItemName, itemKey, type PlanChange, type PlanStage } from '../model/plan-change.js';
import { withoutEchoes } from './echoes.js';
import { Effects, type Meanwhile, withChanges } from './effects.js';
import { findChanges, type KeptItem } from './find-changes.js';
import { orderCalls } from './order-calls.js';
import { addCaller, type OwnAccess, ownPermissions } from './own-access.js';
import { markRestoring } from './restoring.js';
import type { PlanOrder } from './stages.js';

/** Options of {@link plan}. */
export interface PlanOptions {
  /** Deletes items that `manage` owns and the desired state lacks. Default false. */
  readonly prune?: boolean | undefined;
  /** Patterns of the names that are owned. Default: those of the desired state if it was read from files, else none. */
  readonly manage?: Partial<Manage> | undefined;
  /**
   * The order to prefer if every order affects access on the way: `revoke-first` (default) never allows more than one
   * of the two states does, but may interrupt access; `grant-first` keeps as much access as possible, but may
   * temporarily allow more.
   */
  readonly order?: PlanOrder | undefined;
  /**
   * The owner of the token that the plan will be applied with, read by `readCaller`. The plan makes calls before the
   * caller loses the permissions for them, if an order of the calls allows it; `own` lists the permissions that are
   * missing.
   */
  readonly caller?: Caller | undefined;
  /**
   * The rules by which access is computed. Default: those of the deployment that the current state was read from, else
   * `documented`.
   */
  readonly fidelity?: Fidelity | undefined;
  /**
   * The users and groups whose bindings the files answer for: `orphaned` lists their bindings. Default: the users and
   * groups that the current state names; none where it says `all`.
   */
  readonly known?: KnownOwners | undefined;
  /** Revocations in force (see `holdsAt`): the plan gives no held binding, and deletes it, also without `prune`. */
  readonly holds?: readonly Hold[] | undefined;
  /**
   * The last version of the files that was applied. Changes that give back what was revoked since by another writer are
   * marked (`restores`).
   */
  readonly before?: PermissionsState | Permissions | undefined;
  /**
   * The maximum number of pattern comparisons, as in `compare`; default 100 000 000. Beyond it, subjects that were not
   * compared are listed in `notCompared`.
   */
  readonly maxWork?: number | undefined;
}

const patterns = listOf(anyText);

export const readPlanOptions = optionsOf({
  prune: readFlag,
  manage: optionsOf({
    policies: patterns,
    roles: patterns,
    users: patterns,
    groups: patterns,
    bindings: fieldsOf({ roles: patterns } satisfies ReadersOf<NonNullable<Manage['bindings']>>),
  } satisfies ReadersOf<Manage>),
  order: oneOf<PlanOrder>('revoke-first', 'grant-first'),
  caller: accepting<Caller>('an object', isObject),
  fidelity: oneOf<Fidelity>('documented', 'sidecar'),
  known: optionsOf({ users: patterns, groups: patterns } satisfies ReadersOf<KnownOwners>),
  holds: readHoldList,
  before: accepting<PermissionsState>('a state', isObject),
  // The analysis validates it.
  maxWork: asGiven as Reader<number>,
} satisfies ReadersOf<PlanOptions>);

/** The changes from one state to another, in the order of calls. Plain data that can be stored as JSON. */
export interface Plan {
  readonly changes: readonly PlanChange[];
  /** The calls. Calls of one stage may run concurrently; `apply` waits between stages. */
  readonly stages: readonly PlanStage[];
  /** Items that `manage` owns and the desired state lacks, but that the plan does not delete. */
  readonly kept: readonly KeptItem[];
  /**
   * Items that the desired state neither defines nor owns. They stay, even with `prune`. Excludes names that begin with
   * `managed:`.
   */
  readonly unowned: readonly ItemName[];
  /**
   * Bindings of known users and groups that grant what no file does, and that the plan does not delete, because no file
   * owns them, or because nothing deletes bindings to `managed:` roles.
   */
  readonly orphaned: readonly BindingItem[];
  /** The holds that the plan respects. */
  readonly holds: readonly Hold[];
  /** True if items that are owned and not desired are deleted. */
  readonly prune: boolean;
  /** The access gained and lost by the whole plan. */
  readonly access: PartialComparison;
  /** Access that differs from both states while the plan is applied. */
  readonly meanwhile: Meanwhile;
  /** Changes of custom resources. Only the operator can make them: apply the resources with kubectl. */
  readonly operator: OperatorChanges;
  /** The permissions of the caller that applies it; undefined without `caller`. */
  readonly own?: OwnAccess | undefined;
  /** The rules by which `access` and `meanwhile` were computed. */
  readonly fidelity: Fidelity;
  /** The users that `access` and `meanwhile` cover: those whose bindings are known. */
  readonly users: readonly string[] | 'all';
  /**
   * The groups that they cover; undefined if none was named, `none` if the deployment does not bind roles to groups.
   */
  readonly groups?: PermissionsState['groups'];
}

/**
 * Plans the calls that turn one state into another. With `order: 'revoke-first'`, no user is temporarily allowed
 * anything that neither state allows, except that a caller who could not finish otherwise is granted first; and users
 * keep all access that both states allow, if revoking first or granting first does that. Otherwise `meanwhile` lists
 * the temporary differences. Pure: sends nothing.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option.
 * @throws PermissionsError (code `PERMISSIONS`) if a name cannot be stored, belongs to the platform, or is a user whose
 *   bindings are not known; PolicyError (code `POLICY`) for a state that does not validate; AnalysisError (code
 *   `ANALYSIS`) for a `maxWork` that is not a number above 0.
 *
 * @example
 * ```ts
 * import { apply, formatPlan, plan, readPermissions, readState } from 'arango-services/permissions';
 *
 * const files = new Map([['permissions.yaml', 'policies: { reader: { statements: [] } }']]);
 * const desired = await readPermissions('permissions.yaml', { read: (file) => files.get(file) ?? '' });
 * const changes = plan(await readState(client, { users: desired.users }), desired);
 * console.log(formatPlan(changes));
 * await apply(client, changes);
 * ```
 */
export function plan(read: PermissionsState, wanted: PermissionsState | Permissions, options: PlanOptions = {}): Plan {
  const checked = readFields(options, 'options', readPlanOptions);
  for (const state of [read, wanted, checked.before ?? wanted])
    checkState(state, ['prune', 'order', 'caller', 'maxWork']);
  const { prune = false, manage, order = 'revoke-first', caller, maxWork, holds = [], before } = checked;
  const isHeld = heldBy(holds);
  const desired = withoutHeld(wanted, isHeld);
  const fidelity = fidelityOf(read, checked.fidelity);
  const current = evaluationRules[fidelity].bindingsByName ? withoutEchoes(read) : read;
  const owned = new Ownership(manage ?? ('manage' in desired ? desired.manage : undefined));
  const outside = new Set('outside' in desired ? desired.outside.map(itemKey) : []);
  const isOutside = (item: ItemName) => (manage ? owned.isOutside(item) : outside.has(itemKey(item)));
  const finding = { manage: owned, prune, isOutside, isHeld };
  const { changes: differences, kept, unowned, orphaned, operated } = findChanges(current, desired, finding);
  const start = createEvaluator(current, { fidelity });
  if (caller) addCaller(start, caller);
  const changes = before ? markRestoring(differences, before, start, maxWork) : differences;
  const end = withChanges(start, changes);
  const permissions = ownPermissions(caller);
  const effects = new Effects(changes, start, end, maxWork);
  const { stages, meanwhile } = orderCalls(changes, [start, end], effects, { order, permissions });
  const access = comparePartly(start, end, { maxWork });
  const operator = {
    changes: operated,
    access:
      operated.length > 0 ? comparePartly(end, withChanges(end, operated), { maxWork }) : { gained: [], lost: [] },
    tokens: desired.operator?.tokens ?? [],
  };
  const callerAccess = caller && {
    user: caller.user,
    groups: caller.groups,
    unknown: caller.unknown,
    missing: permissions?.missing(start, changes, stages) ?? [],
    lost: permissions?.lost(start, end) ?? [],
  };
  const { users, groups } = current;
  return {
    changes,
    stages,
    kept,
    unowned,
    orphaned: orphaned.filter(isKnownIn(checked.known ?? current)),
    holds,
    prune,
    access,
    meanwhile,
    operator,
    own: callerAccess,
    fidelity,
    users,
    ...(groups && { groups }),
  };
}
