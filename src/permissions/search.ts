import type { Evaluator } from '../policy/index.js';
import type { Change, Stage } from './change.js';
import type { Component } from './components.js';
import { after, type Effects } from './effects.js';

/** The most changes of a component whose orders are all tried: 2^8 states. */
const mostChanges = 8;

/** Limits the states that one plan examines. */
export interface SearchBudget {
  states: number;
}

/**
 * Finds an order of undivided changes, one after the other, in which each intermediate state grants nothing that
 * neither side grants, and everything that both sides grant. Undefined if there is none, or if there are too many
 * orders to try.
 */
export function searchOrder(
  { changes, reach }: Component,
  all: readonly Change[],
  start: Evaluator,
  effects: Effects,
  budget: SearchBudget,
): readonly Stage[] | undefined {
  const count = changes.length;
  if (count > mostChanges || budget.states < 2 ** count) return undefined;
  budget.states -= 2 ** count;
  const stagesOf = (order: readonly number[]): Stage[] =>
    order.map((one) => {
      const [at, change] = changes[one] as readonly [number, Change];
      return [{ change: at, content: change.after }];
    });
  const full = 2 ** count - 1;
  const seen = new Set([0]);
  let orders: readonly (readonly number[])[] = [[]];
  for (let length = 1; length <= count; length++) {
    const next: (readonly number[])[] = [];
    for (const order of orders) {
      const set = order.reduce((bits, one) => bits | (1 << one), 0);
      for (let one = 0; one < count; one++) {
        const bits = set | (1 << one);
        if (bits === set || seen.has(bits)) continue;
        seen.add(bits);
        const longer = [...order, one];
        if (bits === full || effects.isClean(after(start, all, stagesOf(longer)), reach)) next.push(longer);
      }
    }
    orders = next;
  }
  const [found] = orders;
  return found && stagesOf(found);
}
