import { isHttpError } from '../../base/error-guards.js';
import type { NeededPermission } from '../../base/errors.js';
import { hasMethod } from '../../base/lib/values.js';
import { createEvaluator, type Evaluator, type Policy, type Role } from '../../policy/index.js';
import { evaluationRules } from '../../policy/model/fidelity.js';
import { type Caller, isSuperuserCaller } from '../model/applying-caller.js';
import { bindingItem, type ItemContent, itemKey, type PlanChange, type PlanStage } from '../model/plan-change.js';
import { sameContent } from '../model/same-content.js';
import { write } from '../plan/effects.js';
import { addCaller, isBoundBy, type OwnAccess, ownPermissions } from '../plan/own-access.js';
import type { Plan } from '../plan/plan.js';
import { readCaller } from '../read-caller.js';
import type { PermissionsClient } from '../read-state.js';

/** At most this many missing permissions are checked by asking the services. */
const mostAsked = 10;

/** Reads all items of a deployment that affect the caller's permissions, including those that the plan changes. */
class CallerState {
  readonly #authorization: PermissionsClient['authorization'];
  readonly #plan: Plan;
  readonly #caller: Caller;
  readonly #signal: AbortSignal | undefined;
  readonly policies = new Map<string, Policy>();
  readonly roles = new Map<string, Role>();

  constructor(client: PermissionsClient, plan: Plan, caller: Caller, signal: AbortSignal | undefined) {
    this.#authorization = client.authorization;
    this.#plan = plan;
    this.#caller = caller;
    this.#signal = signal;
  }

  async read(): Promise<Evaluator> {
    const { changes, stages, fidelity } = this.#plan;
    const { user, groups, bindings, groupBindings = [] } = this.#caller;
    const written = stages.flat().map(({ change, content }) => [changes[change] as PlanChange, content] as const);
    const counted = changes.flatMap((change) => (change.kind === 'binding' && this.#counts(change) ? change : []));
    const named = evaluationRules[fidelity].rolesCount ? groups : [];
    const roles = new Set([...[...bindings, ...groupBindings, ...counted].map(({ role }) => role), ...named]);
    await Promise.all([...roles].map((name) => this.#keep(this.roles, this.#authorization.roles, name)));
    // The casts: the content of a role is a role.
    const planned = written.flatMap(([{ kind, name = '' }, content]) =>
      kind === 'role' && roles.has(name) ? ((content as Role | null)?.policies ?? []) : [],
    );
    const policies = new Set([...[...this.roles.values()].flatMap((role) => role.policies), ...planned]);
    await Promise.all([...policies].map((name) => this.#keep(this.policies, this.#authorization.policies, name)));
    const state = createEvaluator({ policies: this.policies, roles: this.roles, bindings: [] }, { fidelity });
    for (const change of counted) {
      // The services list a binding of `ann:b` as one of `ann`, and so for groups.
      const isOwn = change.group === undefined ? change.user === user : groups.includes(change.group);
      const all = change.group === undefined ? bindings : groupBindings;
      const listed = isOwn ? undefined : all.find(({ role }) => role === change.role);
      if (listed) write(state, change, listed.scope ?? { statements: [] });
    }
    addCaller(state, this.#caller);
    return state;
  }

  /** The stages without calls on the caller's items that an earlier run has already made. */
  left(state: Evaluator): PlanStage[] {
    const { changes, stages } = this.#plan;
    const ways = changes.map((): ItemContent[] => []);
    for (const { change, content } of stages.flat()) ways[change]?.push(content);
    const skipped = changes.map((change, at) => {
      const now = this.#contentOf(state, change);
      return now === undefined ? 0 : (ways[at] ?? []).findLastIndex((way) => sameContent(change.kind, now, way)) + 1;
    });
    return stages.map((stage) =>
      stage.filter(({ change }) => {
        const isMade = (skipped[change] ?? 0) > 0;
        if (isMade) skipped[change] = (skipped[change] ?? 0) - 1;
        return !isMade;
      }),
    );
  }

  /** The content of an item; undefined if the item was not read. */
  #contentOf(state: Evaluator, change: PlanChange): ItemContent | undefined {
    if (change.kind === 'policy') return this.policies.get(change.name);
    if (change.kind === 'role') return this.roles.get(change.name);
    const { user, groups } = this.#caller;
    const { group, role } = change;
    if (group === undefined ? change.user !== user : !groups.includes(group)) return undefined;
    const all = group === undefined ? state.bindings(change.user) : state.groupBindings(group);
    const key = itemKey(change);
    return all.find((binding) => binding.role === role && itemKey(bindingItem(binding)) === key)?.scope ?? null;
  }

  #counts(change: PlanChange & { readonly kind: 'binding' }): boolean {
    const { user, groups } = this.#caller;
    if (change.group === undefined ? change.user === user : groups.includes(change.group)) return true;
    return evaluationRules[this.#plan.fidelity].bindingsByName && isBoundBy(change, this.#caller);
  }

  async #keep<T>(
    contents: Map<string, T>,
    items: { get(name: string, options: { signal?: AbortSignal | undefined }): Promise<{ readonly item: T }> },
    name: string,
  ): Promise<void> {
    try {
      contents.set(name, (await items.get(name, { signal: this.#signal })).item);
    } catch (error) {
      if (!isHttpError(error) || error.status !== 404) throw error;
    }
  }
}

/** True if the services allow one of these permissions, although the known bindings do not grant it. */
async function isAllowedAnyway(
  { authorization }: PermissionsClient,
  needs: readonly NeededPermission[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!hasMethod(authorization, 'checkSelf')) return false;
  for (const { action, resource } of needs.slice(0, mostAsked)) {
    if ((await authorization.checkSelf?.({ action, resource }, { signal }))?.allowed) return true;
  }
  return false;
}

/**
 * Computes the current permissions of the owner of the client's token, the ones that a plan needs and the owner lacks,
 * and the ones that the owner loses by the plan. Sends only reads.
 */
export async function checkOwn(
  client: PermissionsClient,
  plan: Plan,
  signal: AbortSignal | undefined,
): Promise<OwnAccess> {
  const caller = await readCaller(client, { signal });
  const { user, groups } = caller;
  const unknown = (reason: string | undefined): OwnAccess => ({ user, groups, unknown: reason, missing: [], lost: [] });
  if (isSuperuserCaller(caller)) return unknown(undefined);
  const permissions = ownPermissions(caller);
  if (!permissions) return unknown(caller.unknown);
  try {
    const { changes } = plan;
    const reading = new CallerState(client, plan, caller, signal);
    const state = await reading.read();
    const stages = reading.left(state);
    const missing = permissions.missing(state, changes, stages);
    const never = missing.filter(({ lostBy }) => lostBy === undefined);
    if (await isAllowedAnyway(client, never, signal)) {
      return unknown('the services allow more than the bindings of the caller explain');
    }
    const end = state.clone();
    for (const { change, content } of stages.flat()) write(end, changes[change] as PlanChange, content);
    return { user, groups, missing, lost: permissions.lost(state, end) };
  } catch (error) {
    if (!isHttpError(error) || error.status !== 403) throw error;
    const { needs } = error;
    return unknown(needs && `the token has no ${needs.action} on ${JSON.stringify(needs.resource)}`);
  }
}
