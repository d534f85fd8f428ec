import { remember } from '../../base/lib/remember.js';
import type { Evaluator, Role } from '../../policy/index.js';
import type { PlanStage, PlanStep } from '../model/plan-change.js';
import { middleOf } from './between.js';
import type { Group } from './groups.js';

/** The order in which access is revoked and granted. */
export type PlanOrder = 'revoke-first' | 'grant-first';

/** Stages, with the indexes of those after which access differs most from the start and the end. */
export interface Ordered {
  readonly stages: readonly PlanStage[];
  readonly checks: readonly number[];
}

/** The stages of each order, by kind. Items are granted after the items that they name, and revoked before them. */
const stagesOf = {
  'revoke-first': [
    ['early policy', 'first binding', 'first role', 'first policy'],
    ['second policy', 'second role', 'second binding'],
  ],
  'grant-first': [
    ['first policy', 'first role', 'first binding'],
    ['second binding', 'second role', 'second policy'],
  ],
} as const;

/**
 * Splits the changes of a group into stages that revoke and stages that grant. A role that cannot be split is changed
 * between the two, in a stage of its own.
 */
export function orderStages({ changes, roles }: Group, order: PlanOrder, states: readonly Evaluator[]): Ordered {
  const isRevoke = order === 'revoke-first';
  const [only] = changes;
  // A single call has no states between.
  if (only && changes.length === 1) return { stages: [[{ change: only[0], content: only[1].after }]], checks: [] };
  const middles = changes.map(([, change]) => middleOf(change, isRevoke, states));
  const namedBy = (roleOf: (name: string) => Role | null | undefined) =>
    new Set([...roles].flatMap((name) => roleOf(name)?.policies ?? []));
  const [named, namedAfter] = states.map((state) => namedBy((name) => state.role(name)));
  const changed = new Map(
    changes.flatMap(([, { kind, name, after }], i) =>
      // The casts: the content of a role is a role.
      kind === 'role' ? [[name, (middles[i] === undefined ? after : middles[i]) as Role | null] as const] : [],
    ),
  );
  const namedBetween = namedBy((name) => (changed.has(name) ? changed.get(name) : states[0]?.role(name)));
  const stages = new Map<string, PlanStep[]>();
  const add = (stage: string, change: number, content: PlanStep['content']) =>
    remember(stages, stage, (): PlanStep[] => []).push({ change, content });
  for (const [i, [at, { kind, name = '', before, after }]] of changes.entries()) {
    const middle = middles[i];
    // A policy has no effect while no role names it, so it can be written in one call then.
    const isEarly = kind === 'policy' && !named?.has(name) && (!isRevoke || namedBetween.has(name));
    const isLate = kind === 'policy' && !(isRevoke ? namedBetween : namedAfter)?.has(name);
    if (isEarly) add(isRevoke ? 'early policy' : 'first policy', at, after);
    else if (isLate) add('second policy', at, after);
    else if (middle === undefined) add(`alone ${at}`, at, after);
    else {
      if (middle !== before) add(`first ${kind}`, at, middle);
      if (middle !== after) add(`second ${kind}`, at, after);
    }
  }
  const pick = (names: readonly string[]) =>
    names.flatMap((name) => (stages.has(name) ? [stages.get(name) ?? []] : []));
  const [firsts, seconds] = [pick(stagesOf[order][0]), pick(stagesOf[order][1])];
  const alone = pick([...stages.keys()].filter((name) => name.startsWith('alone')));
  const isOneWay = alone.length === 0 && (firsts.length === 0 || seconds.length === 0);
  const checks = isOneWay ? [] : [firsts, ...alone].map((_, i) => firsts.length + i - 1);
  return { stages: [...firsts, ...alone, ...seconds], checks };
}
