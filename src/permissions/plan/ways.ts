import type { Change, Stage } from '../model/change.js';
import type { Component } from './components.js';

/** The stages of one component. */
export interface Way extends Component {
  readonly stages: readonly Stage[];
  /** True if no state between differs from both sides. */
  readonly isClean: boolean;
}

/** The stages of a plan, and the components that they are made of. */
export interface OrderedWays {
  readonly ways: readonly Way[];
  readonly stages: readonly Stage[];
}

/** Calls of undivided changes, one after the other. */
export const oneByOne = (changes: Component['changes'], order: readonly number[]): Stage[] =>
  order.map((one) => {
    // The cast: the order has numbers of these changes.
    const [at, change] = changes[one] as readonly [number, Change];
    return [{ change: at, content: change.after }];
  });

/** Merges lists of stages that run side by side. */
export function zip(all: readonly (readonly Stage[])[]): Stage[] {
  const count = all.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: count }, (_, i) => all.flatMap((stages) => stages[i] ?? []));
}

/** The stages of components that run side by side. */
export const sideBySide = (ways: readonly Way[]): OrderedWays => ({
  ways,
  stages: zip(ways.map(({ stages }) => stages)),
});
