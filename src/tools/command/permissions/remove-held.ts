import { isHttpError } from '../../../base/error-guards.js';
import {
  ApplyError,
  type ApplyOptions,
  apply,
  type PermissionsClient,
  type Plan,
  type PlanChange,
} from '../../../permissions/index.js';

/** The bindings that were removed, and those that the services list for the user, but keep under another name. */
interface Removed {
  readonly wrote: number;
  /** Their roles. */
  readonly foreign: readonly string[];
}

/** The change of a binding that was listed, and that the services did not find. */
export function notFound({ cause, conflicts, unanswered }: ApplyError, { changes }: Plan): PlanChange | undefined {
  const [change = changes[unanswered[0]?.change ?? -1]] = conflicts;
  // Before version `next`, a service answers the removal of a missing binding with 500 and this reason.
  const isMissing = isHttpError(cause) && (cause.status === 404 || cause.reason === 'not found');
  return isMissing || conflicts.length > 0 ? change : undefined;
}

/**
 * Removes held bindings, one after the other. The services list bindings of the user `bob:eu` as bindings of `bob`, who
 * has their access, but cannot remove them as such: these are left, and the others removed.
 * @param planWithout makes the plan without the bindings to these roles.
 * @param isListed tells if the services still list the binding to a role.
 */
export async function removeHeld(
  client: PermissionsClient,
  planWithout: (roles: readonly string[]) => Plan,
  isListed: (role: string) => Promise<boolean>,
  options: ApplyOptions,
): Promise<Removed> {
  const foreign: string[] = [];
  for (let wrote = 0; ; ) {
    const made = planWithout(foreign);
    try {
      const applied = await apply(client, made, { ...options, concurrency: 1 });
      return { wrote: wrote + applied.wrote, foreign };
    } catch (error) {
      if (!(error instanceof ApplyError)) throw error;
      const role = notFound(error, made)?.role;
      if (role === undefined || !(await isListed(role))) throw error;
      wrote += error.done.length;
      foreign.push(role);
    }
  }
}
