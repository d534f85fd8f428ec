import type { Change, Stage } from '../model/change.js';
import type { Component } from './components.js';

/** A component with its stages. */
export interface Way extends Component {
  readonly stages: readonly Stage[];
  /** True if no intermediate state grants more or less than the start and the end. */
  readonly isClean: boolean;
}

/** The stages of a plan, with the components that they combine. */
export interface OrderedWays {
  readonly ways: readonly Way[];
  readonly stages: readonly Stage[];
}

/** Stages that make the calls of unsplit changes one by one. */
export const oneByOne = (changes: Component['changes'], order: readonly number[]): Stage[] =>
  order.map((one) => {
    // The cast: `order` holds indexes of `changes`.
    const [at, change] = changes[one] as readonly [number, Change];
    return [{ change: at, content: change.after }];
  });

/** Merges lists of stages that run in parallel: the first stages together, then the second ones. */
export function zip(all: readonly (readonly Stage[])[]): Stage[] {
  const count = all.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: count }, (_, i) => all.flatMap((stages) => stages[i] ?? []));
}

/** The stages of components that run in parallel. */
export const sideBySide = (ways: readonly Way[]): OrderedWays => ({
  ways,
  stages: zip(ways.map(({ stages }) => stages)),
});
