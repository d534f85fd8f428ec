import type { PlanStep } from '../model/plan-change.js';
import type { Plan } from '../plan/plan.js';

/** A call of a plan. */
export interface Call {
  /** The number of the call, from 0, in the order of the stages. */
  readonly number: number;
  readonly step: PlanStep;
  /** The number of the content that this call writes, among those of the change; 0 is the content before the plan. */
  readonly place: number;
}

/** The calls of each stage of a plan. */
export function callsOf({ stages }: Pick<Plan, 'stages'>): Call[][] {
  const places = new Map<number, number>();
  let number = 0;
  return stages.map((stage) =>
    stage.map((step) => {
      const place = (places.get(step.change) ?? 0) + 1;
      places.set(step.change, place);
      return { number: number++, step, place };
    }),
  );
}
