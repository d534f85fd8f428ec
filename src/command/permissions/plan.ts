import { exitCodes } from '../exit-codes.js';
import { connect } from './connect.js';
import type { Run } from './context.js';
import { makePlan, readDesired } from './make-plan.js';
import { printPlan } from './output.js';

/** `permissions plan`: the changes from a deployment to the file. */
export const plan: Run = async (context) => {
  const { flags, surroundings } = context;
  const desired = await readDesired(flags);
  await using deployment = await connect(context);
  const made = await makePlan(desired, deployment, flags);
  printPlan(made.plan, flags, surroundings);
  return made.plan.changes.length > 0 ? exitCodes.changes : exitCodes.done;
};
