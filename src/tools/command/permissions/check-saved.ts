import { parseDuration } from '../../../base/lib/duration.js';
import { isCompleted } from '../../../permissions/apply/apply-record.js';
import type { PermissionsState, PlanChange, RecordEntry } from '../../../permissions/index.js';
import { describeItem } from '../../../permissions/model/plan-change.js';
import { sameContent } from '../../../permissions/model/same-content.js';
import { formatList } from '../../../policy/analysis/format-regions.js';
import type { ConnectedDeployment } from '../shared/connect-client.js';
import type { Context } from '../shared/context.js';
import { planning } from '../shared/flags.js';
import { print } from '../shared/output.js';
import { UsageError } from '../shared/usage-error.js';
import { findStale, itemsOf } from './basis.js';
import { type PlanRecord, readRecord, recordFileOf } from './record-file.js';
import { type PlanContent, readSavedPlan, type SavedPlan } from './saved-plan.js';

/** The most items that a refusal names. */
const mostNamed = 20;

/** Refuses a plan if anything that it was made from was written since, other than by the calls of its record. */
export function refuseStale({ plan, basis }: PlanContent, state: PermissionsState, entries?: readonly RecordEntry[]) {
  const stale = findStale(plan, basis, state, entries);
  if (stale.length === 0) return;
  const names = formatList(stale, '', mostNamed);
  throw new Error(`the plan is stale: written since it was made: ${names}; nothing was written, make a new plan`);
}

/** Refuses a plan whose calls were all made: it is applied once, whatever became of its items. */
function refuseCompleted({ plan }: SavedPlan, { entries, lastAt }: PlanRecord, state: PermissionsState) {
  if (!isCompleted(plan, entries)) return;
  const itemOf = itemsOf(state);
  const isDifferent = (change: PlanChange) => !sameContent(change.kind, itemOf(change).content, change.after);
  const different = plan.changes.filter(isDifferent).map((change) => `the ${describeItem(change)}`);
  const now =
    different.length > 0 ? `different now: ${formatList(different, '', mostNamed)}` : 'nothing of it is different now';
  throw new Error(`the plan was applied at ${lastAt}, and is applied once; ${now}; make a new plan`);
}

const defaultValidity = '24h';
/** The difference between the clocks of two machines that is not taken for an error. */
const clockSkewMs = 300_000;

/** Refuses a plan that is too old, or whose time is not known. */
function refuseOld({ madeAt }: SavedPlan, validFor: string, validMs: number) {
  const ageMs = Date.now() - Date.parse(madeAt);
  if (ageMs >= -clockSkewMs && ageMs <= validMs) return;
  const why = ageMs > 0 ? `older than ${validFor} (--valid-for)` : 'of the future by the clock of this machine';
  throw new Error(`the plan was made at ${madeAt}, which is ${why}; make a new plan`);
}

/** The users that a saved plan was made for. */
function plannedUsers({ plan, basis }: PlanContent): readonly string[] {
  if (plan.users !== 'all') return plan.users;
  const changed = plan.changes.flatMap(({ user }) => user ?? []);
  return [...new Set([...basis.bindings.map(([user]) => user), ...changed])];
}

/** The groups that a plan was made for. */
export function groupsOf({ plan: { groups, changes }, basis }: PlanContent): readonly string[] {
  if (typeof groups === 'object') return groups;
  const changed = changes.flatMap(({ group }) => group ?? []);
  return [...new Set([...(basis.groupBindings ?? []).map(([group]) => group), ...changed])];
}

/** A saved plan, and what its record knows. */
export interface Saved {
  readonly plan: SavedPlan;
  readonly record: PlanRecord;
}

/**
 * Reads a saved plan and its record.
 * @throws UsageError for a file or a flag that is not valid, and Error for a plan that is too old.
 */
export async function readSaved(context: Context, file: string): Promise<Saved> {
  const { flags, inputs, surroundings } = context;
  const used = planning.find((name) => flags[name] !== undefined);
  if (used) throw new UsageError({ where: `--${used}`, message: 'cannot be combined with a saved plan' });
  const validFor = flags['valid-for'] ?? defaultValidity;
  const validMs = parseDuration(validFor);
  if (!validMs) throw new UsageError({ where: '--valid-for', message: 'expected a duration like "24h" or "90m"' });
  const recordFile = await recordFileOf(file, context);
  const plan = await readSavedPlan(file, inputs);
  if (!flags.json) print(surroundings, `Plan ${plan.digest}`);
  const record = await readRecord(recordFile, plan);
  if (!isCompleted(plan.plan, record.entries)) refuseOld(plan, validFor, validMs);
  return { plan, record };
}

/** Refuses a saved plan that was applied, or that is stale. */
export async function checkSaved({ plan, record }: Saved, deployment: ConnectedDeployment): Promise<void> {
  const state = await deployment.readState({ users: plannedUsers(plan), groups: groupsOf(plan) });
  if (record.entries.length > 0) refuseCompleted(plan, record, state);
  refuseStale(plan, state, record.entries);
}
