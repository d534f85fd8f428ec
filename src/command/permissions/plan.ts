import { replay } from '../../analysis/index.js';
import { connect } from '../shared/connect.js';
import type { Run } from '../shared/context.js';
import { exitCodes } from '../shared/exit-codes.js';
import { print } from '../shared/output.js';
import { UsageError } from '../shared/usage-error.js';
import { basisOf } from './basis.js';
import { planFolder } from './folder.js';
import { makePlan, readDesired } from './make-plan.js';
import { printPlan } from './print-plan.js';
import { readLog } from './read-log.js';
import { formatReplay } from './replay.js';
import { savePlan } from './saved-plan.js';
import { usersAfter } from './users.js';

/** `permissions plan`: the changes from a deployment, or a folder of custom resources, to the file. */
export const plan: Run = async (context) => {
  const { flags, surroundings } = context;
  if (flags.to !== undefined) return planFolder(context);
  if (flags.log !== undefined && flags.json) {
    throw new UsageError({ where: '--log', message: 'cannot be combined with --json; see replay --json' });
  }
  const desired = await readDesired(context);
  await using deployment = await connect(context);
  const { plan: made, current } = await makePlan(desired, deployment, context);
  printPlan(made, flags, surroundings);
  if (flags.log !== undefined) {
    const options = { baseline: current, fidelity: made.fidelity };
    const { answer } = await readLog(context, flags.log, (log) => replay(log, desired, options));
    print(surroundings, `\n${formatReplay(answer)}`);
  }
  if (flags.out !== undefined) {
    const content = { plan: made, basis: basisOf(current, made), usersAfter: usersAfter(current, made) };
    const digest = await savePlan(flags.out, { url: deployment.url, ...content });
    if (!flags.json) print(surroundings, `\nSaved to ${flags.out}: ${digest}`);
  }
  return made.changes.length + made.operator.changes.length > 0 ? exitCodes.changes : exitCodes.done;
};
