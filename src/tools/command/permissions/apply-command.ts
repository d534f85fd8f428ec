import { isHttpError } from '../../../base/error-guards.js';
import { counted } from '../../../base/lib/counted.js';
import { ApplyError } from '../../../permissions/apply/apply-error.js';
import {
  type ApplyOptions,
  apply as applyPlan,
  type OwnAccess,
  type Permissions,
  type Plan,
  type PlanChange,
} from '../../../permissions/index.js';
import { describeItem, takesOver } from '../../../permissions/model/plan-change.js';
import { formatRefusal } from '../../../permissions/plan/format-own.js';
import { formatTakeOver } from '../../../permissions/plan/format-unknown.js';
import { type ConnectedDeployment, connect } from '../shared/connect-client.js';
import type { Context, RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { type FlagsOf, readOptions } from '../shared/flag-options.js';
import { deployed, type FlagName, type Flags, flags } from '../shared/flags.js';
import { HintedError } from '../shared/hinted-error.js';
import { print, warn } from '../shared/output.js';
import type { Surroundings } from '../shared/surroundings.js';
import { UsageError } from '../shared/usage-error.js';
import { agree, canAsk } from './agree.js';
import { checkSaved, groupsOf, readSaved, refuseStale } from './check-saved.js';
import { refuseHeld } from './holds-file.js';
import { contentOf, makePlan, readDesired } from './make-plan.js';
import { keepOwners, keepOwnersBefore, lastFiles } from './owners-command.js';
import { printPlan } from './print-plan.js';
import { openRecord } from './record-file.js';
import { notFound } from './remove-held.js';
import type { PlanContent } from './saved-plan.js';
import { type Progress, showProgress } from './show-progress.js';

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The command line of a subcommand with those of the given flags that `isTaken` selects. No flag holds a secret. */
function commandLine(
  subcommand: string,
  flagValues: Flags,
  isTaken: (name: FlagName) => boolean,
  operands: readonly string[] = [],
): string {
  // The cast: flags are known by their names.
  const words = (Object.entries(flagValues) as [FlagName, Flags[FlagName]][]).flatMap(([name, value]) => {
    if (value === undefined || value === false || !isTaken(name)) return [];
    if (value === true) return [`--${name}`];
    // The cast: a flag that takes files has a list of names.
    if (flags[name].takes === 'files') return (value as readonly string[]).flatMap((file) => [`--${name}`, file]);
    return [`--${name}`, Array.isArray(value) ? value.join(',') : String(value)];
  });
  return ['arango-services', 'permissions', subcommand, ...operands, ...words].map(quote).join(' ');
}

/** The flags of the options of `apply`. */
const applyFlags = {
  concurrency: 'concurrency',
  settleMs: 'settle-ms',
  allowSelfLockout: 'allow-self-lockout',
  takeOver: 'take-over',
  // The flag names a file.
  record: undefined,
  // Ctrl-C aborts the signal.
  signal: undefined,
  // The report of the command.
  onProgress: undefined,
} as const satisfies FlagsOf<ApplyOptions>;

const itemOf = ({ kind, name, user, role }: PlanChange) => ({ kind, name, user, role });

const planFlags: ReadonlySet<FlagName> = new Set([...deployed]);

/** The last line of a run that stopped: what is missing, or the command that goes on. */
function nextOf(error: ApplyError, plan: Plan, { flags, operands }: Context): string {
  const { conflicts, own, cause } = error;
  // A run that began has made the files.
  const isTaken = (name: FlagName) => name !== 'first-run' || lastFiles(flags) === undefined;
  const again = commandLine('apply', flags, isTaken, operands);
  if (own) return `to apply it all the same: ${again} --allow-self-lockout`;
  if (!flags['take-over'] && plan.changes.some(takesOver)) return `to overwrite them: ${again} --take-over`;
  if (!flags.restore && plan.changes.some(({ restores }) => restores)) return `to give it back: ${again} --restore`;
  if (conflicts.length > 0) {
    return `make a new plan, and look at it: ${commandLine('plan', flags, (name) => planFlags.has(name))}`;
  }
  const needs = isHttpError(cause) && cause.status === 403 ? cause.needs : undefined;
  if (needs) {
    const missing = `missing is ${needs.action} on ${JSON.stringify(needs.resource)}`;
    return `${missing}; with it, run it again to finish: ${again}`;
  }
  const absent = isHttpError(cause) ? notFound(error, plan) : undefined;
  if (absent?.kind === 'binding' && absent.action === 'delete') {
    const kind = absent.group === undefined ? 'user' : 'group';
    const prefix = JSON.stringify(`${absent.group ?? absent.user}:`);
    const other = `the binding that the services list may be that of a ${kind} whose name begins with ${prefix}`;
    return `${other}: then name that ${kind} in --${kind}s; else run it again: ${again}`;
  }
  return `run it again to finish: ${again}`;
}

/** Prints the events of an apply: lines of JSON, or the progress and the result as text. */
class Report {
  readonly #context: Context;
  readonly #surroundings: Surroundings;
  readonly #json: boolean;
  #progress: Progress | undefined;
  /** Calls of the plan that earlier runs made. */
  #skipped = 0;

  constructor(context: Context) {
    const { flags, surroundings } = context;
    this.#context = context;
    this.#surroundings = surroundings;
    this.#json = flags.json === true;
  }

  plan(plan: Plan): void {
    if (this.#json) this.#event({ event: 'plan', plan });
    else printPlan(plan, {}, this.#surroundings);
  }

  async applied(plan: Plan, work: (onProgress: Progress['update']) => Promise<{ wrote: number; skipped: number }>) {
    const calls = plan.stages.flat().length;
    if (!this.#json) this.#progress = showProgress(this.#surroundings, calls);
    const { signal } = this.#surroundings;
    const stopping = () => this.#stopping(signal.reason);
    signal.addEventListener('abort', stopping, { once: true });
    try {
      const { wrote, skipped } = await work((progress) => {
        const { done, total, change, wrote } = progress;
        this.#progress?.update(progress);
        if (!wrote) this.#skipped++;
        if (this.#json) this.#event({ event: 'call', done, total, action: change.action, ...itemOf(change), wrote });
      });
      this.#progress?.end();
      if (this.#json) return this.#event({ event: 'applied', wrote, skipped });
      const earlier = skipped > 0 ? `, ${skipped} made before` : '';
      print(this.#surroundings, `Applied: ${counted(wrote, 'call')}${earlier}.`);
    } catch (error) {
      this.#progress?.end();
      throw error instanceof ApplyError ? this.#failed(error, plan) : error;
    } finally {
      signal.removeEventListener('abort', stopping);
    }
  }

  /** The refusal of a plan by which the caller would lock itself out. */
  refused(plan: Plan): HintedError {
    // The cast: a plan is refused only if `own` has the access of the caller.
    const own = plan.own as OwnAccess;
    return this.#refused(plan, formatRefusal(own), own);
  }

  /** The refusal of a plan that would overwrite items that their file does not own. */
  refusedForeign(plan: Plan): HintedError {
    return this.#refused(plan, formatTakeOver(plan.changes));
  }

  /** The refusal of a plan that gives back what was revoked by hand. */
  refusedRestore(plan: Plan): HintedError {
    const items = plan.changes.filter(({ restores }) => restores).map(describeItem);
    return this.#refused(plan, ['refused, because it gives back what was revoked by hand (--restore)', ...items]);
  }

  #refused(plan: Plan, words: readonly string[], own?: OwnAccess): HintedError {
    return this.#failed(new ApplyError(words, { plan, conflicts: [], done: [], unanswered: [], own }), plan);
  }

  #stopping(reason: unknown): void {
    this.#progress?.end();
    const name = reason instanceof Error ? reason.message : 'aborted';
    warn(this.#surroundings, `${name}: stopping after the calls in flight; once more to end at once`);
  }

  #failed(error: ApplyError, plan: Plan): HintedError {
    const calls = plan.stages.flat().length;
    const { message, conflicts, done } = error;
    const [made, skipped] = [done.length, this.#skipped];
    if (this.#json) this.#event({ event: 'failed', message, conflicts: conflicts.map(itemOf), made, skipped, calls });
    const earlier = skipped > 0 ? `, ${skipped} of them before` : '';
    const hint = `${made + skipped} of ${calls} calls were made${earlier}; ${nextOf(error, plan, this.#context)}`;
    return new HintedError(error, hint);
  }

  #event(event: object): void {
    print(this.#surroundings, JSON.stringify(event));
  }
}

/** Makes a plan, shows it, and asks. Undefined if the answer is not yes. */
async function planAndAsk(
  context: Context,
  desired: Permissions,
  deployment: ConnectedDeployment,
  report: Report,
): Promise<PlanContent | undefined> {
  const { flags, surroundings } = context;
  const made = await makePlan(desired, deployment, context);
  const { plan, owners } = made;
  const content = contentOf(made, deployment.url, flags);
  report.plan(plan);
  const isLost = plan.own?.lost.length || plan.own?.missing.some(({ lostBy }) => lostBy !== undefined);
  // Refused before the question, since an answer could not change it.
  if (isLost && !flags['allow-self-lockout']) throw report.refused(plan);
  if (!flags['take-over'] && plan.changes.some(takesOver)) throw report.refusedForeign(plan);
  if (flags.yes && !flags.restore && plan.changes.some(({ restores }) => restores)) throw report.refusedRestore(plan);
  if (plan.changes.length === 0 || flags.yes) return content;
  const isAgreed = await agree('\nApply these changes? Only "yes" applies them: ', surroundings);
  if (!isAgreed) return undefined;
  // Holds and state may have changed while the question was open, and the answer approved the plan for the old ones.
  await refuseHeld(content, flags);
  refuseStale(content, await deployment.readState({ ...owners, groups: groupsOf(content) }));
  return content;
}

/** `permissions apply`: makes the changes of a plan. */
export const apply: RunSubcommand = async (context) => {
  const { flags, operands, surroundings } = context;
  const [file] = operands;
  const { signal } = surroundings;
  if (file === undefined && !flags.yes && !canAsk(surroundings)) {
    const message = 'is needed where no question can be asked; or apply a saved plan (plan --out)';
    throw new UsageError({ where: '--yes', message });
  }
  const unused = (['record', 'valid-for'] as const).find((name) => file === undefined && flags[name] !== undefined);
  if (unused) throw new UsageError({ where: `--${unused}`, message: 'needs a saved plan' });
  const saved = file === undefined ? undefined : await readSaved(context, file);
  const desired = saved ? undefined : await readDesired(context);
  await using deployment = await connect(context, (url) => {
    if (saved && saved.plan.url !== url) throw new Error(`the plan is for another deployment, ${saved.plan.url}`);
  });
  const report = new Report(context);
  if (saved) {
    await refuseHeld(saved.plan, flags);
    await checkSaved(saved, deployment);
    if (!flags.restore && saved.plan.plan.changes.some(({ restores }) => restores))
      throw report.refusedRestore(saved.plan.plan);
  }
  const content = desired ? await planAndAsk(context, desired, deployment, report) : saved?.plan;
  if (content === undefined) {
    warn(surroundings, 'not applied: nothing was written');
    return exitCodes.failed;
  }
  const { plan, usersAfter, groupsAfter } = content;
  const after = { users: usersAfter, groups: groupsAfter };
  if (plan.changes.length > 0) {
    await keepOwnersBefore(after, flags);
    await using record = saved && (await openRecord(saved.record, saved.plan));
    const options = { ...readOptions(flags, applyFlags), record, signal };
    await report.applied(plan, (onProgress) => applyPlan(deployment.client, plan, { ...options, onProgress }));
  } else if (saved && !flags.json) print(surroundings, 'No changes.');
  await keepOwners(after, flags);
  const { length: left } = plan.operator.changes;
  if (left > 0) {
    warn(surroundings, `${counted(left, 'change')} left to the operator: apply its custom resources with kubectl`);
  }
  return exitCodes.done;
};
