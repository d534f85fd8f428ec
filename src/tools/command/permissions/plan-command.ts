import { withChanges } from '../../../permissions/plan/effects.js';
import type { Replay } from '../../../policy/analysis/index.js';
import type { Questions } from '../../../policy/analysis/log/read-questions.js';
import { replayQuestions } from '../../../policy/analysis/log/replay.js';
import { createEvaluator } from '../../../policy/index.js';
import { type ConnectedDeployment, connect } from '../shared/connect-client.js';
import type { Context, RunSubcommand } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { UsageError } from '../shared/usage-error.js';
import { planFolder } from './folder.js';
import { addOwnersOfLog } from './log-state.js';
import { contentOf, isEventful, type MadePlan, makePlan, readDesired, withoutReader } from './make-plan.js';
import { printPlan } from './print-plan.js';
import { readLogs } from './read-log.js';
import { formatReplay } from './replay-command.js';
import { savePlan } from './saved-plan.js';

/**
 * Decides a log by a deployment, and by what a plan makes of it. The log may name users and groups that the plan does
 * not change: their bindings are read, too.
 */
async function replayPlan(
  questions: Questions,
  { plan: { changes, operator, fidelity }, current }: MadePlan,
  deployment: ConnectedDeployment,
  context: Context,
): Promise<Replay> {
  const { state, known } = await addOwnersOfLog(current, questions, deployment, context);
  const before = createEvaluator(state, { fidelity });
  const after = withChanges(before, [...changes, ...operator.changes]);
  return replayQuestions(questions, after, before, known);
}

/** `permissions plan`: the changes from a deployment, or a folder of custom resources, to the file. */
export const plan: RunSubcommand = async (context) => {
  const { flags, surroundings } = context;
  if (flags.to !== undefined) return planFolder(context);
  if (flags.log !== undefined && flags.json) {
    throw new UsageError({ where: '--log', message: 'cannot be combined with --json; see replay --json' });
  }
  const desired = await readDesired(context);
  const questions = flags.log === undefined ? undefined : (await readLogs(context, flags.log)).questions;
  await using deployment = await connect(context);
  const draft = await makePlan(desired, deployment, context);
  const isReader = flags.out !== undefined && flags.as === undefined;
  const planned = isReader ? { ...draft, plan: withoutReader(draft.plan) } : draft;
  const { plan: made } = planned;
  printPlan(made, flags, surroundings);
  if (questions !== undefined) {
    const answer = await replayPlan(questions, planned, deployment, context);
    print(surroundings, `\n${formatReplay(answer)}`);
  }
  if (flags.out !== undefined) {
    const digest = await savePlan(flags.out, contentOf(planned, deployment.url, flags));
    if (!flags.json) print(surroundings, `\nSaved to ${flags.out}: ${digest}`);
  }
  return isEventful(made, flags) ? exitCodes.changes : exitCodes.done;
};
