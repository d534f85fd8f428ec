import type { Evaluator, PolicyState } from '../../dist/policy/index.js';
import { type Data, makeData, type Request } from './data.ts';

/** The part of a build of the engine that is measured. */
export interface Engine {
  createEvaluator(state?: PolicyState): Evaluator;
}

/** A kind of work over one build. */
export interface Workload {
  /** Collects garbage before each step. */
  readonly collects?: boolean;
  /** Prepares the state; the result prepares the steps of a round. A step returns its number of operations. */
  make(): (round: number) => readonly (() => number)[];
}

const listOf = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));

/** Questions as they arrive in a service: parsed from JSON, each with strings of its own. */
const received = (data: Data, from: number, count: number): Request[] =>
  JSON.parse(JSON.stringify(listOf(count, (i) => data.request(from + i))));

function ask(evaluator: Evaluator, requests: readonly Request[], passes = 1): number {
  let allowed = 0;
  for (let pass = 0; pass < passes; pass++) {
    for (const request of requests) if (evaluator.evaluate(request).allowed) allowed++;
  }
  if (allowed === 0) throw new Error('nothing is allowed');
  return requests.length * passes;
}

const sizes = [
  [1_000, 1],
  [10_000, 1],
  [100_000, 1],
  [100_000, 10],
] as const;

/** All kinds of work by their names. */
export function makeWorkloads({ createEvaluator }: Engine): ReadonlyMap<string, Workload> {
  const workloads = new Map<string, Workload>();
  const setAgain = (evaluator: Evaluator, data: Data, n: number) => {
    const name = `policy${n % data.policies.size}`;
    evaluator.setPolicy(name, data.policies.get(name) ?? { statements: [] });
  };
  for (const [bindings, perUser] of sizes) {
    const title = `${bindings} bindings, ${perUser} a user`;
    const data = makeData(bindings, perUser);
    workloads.set(`hot, ${title}`, {
      make() {
        const evaluator = createEvaluator(data);
        const requests = received(data, 0, 1_000);
        ask(evaluator, requests, 100);
        return () => listOf(10, () => () => ask(evaluator, requests, 30));
      },
    });
    // Most users and actions have been asked before, the resources have not.
    workloads.set(`new, ${title}`, {
      make() {
        const evaluator = createEvaluator(data);
        let next = 0;
        for (; next < 200_000; next += 20_000) ask(evaluator, received(data, next, 20_000));
        return () => {
          const from = next;
          next += 20_000;
          return listOf(20, (i) => {
            const requests = received(data, from + i * 1_000, 1_000);
            return () => ask(evaluator, requests);
          });
        };
      },
    });
    workloads.set(`first, ${title}`, {
      make: () => (round) => {
        const evaluator = createEvaluator(data);
        return listOf(20, (i) => {
          const requests = received(data, round * 40_000 + i * 2_000, 2_000);
          return () => ask(evaluator, requests);
        });
      },
    });
  }
  const large = makeData(100_000);
  workloads.set('loading 100000 bindings', {
    collects: true,
    make: () => () => [
      () => {
        createEvaluator(large);
        return large.bindings.length;
      },
    ],
  });
  workloads.set('after a change, asked before', {
    make() {
      const evaluator = createEvaluator(large);
      const requests = received(large, 0, 4_096);
      ask(evaluator, requests, 20);
      return (round) =>
        listOf(20, (i) => () => {
          setAgain(evaluator, large, round * 20 + i);
          return ask(evaluator, requests);
        });
    },
  });
  workloads.set('after a change, never asked', {
    make() {
      const evaluator = createEvaluator(large);
      return (round) =>
        listOf(20, (i) => {
          const n = round * 20 + i;
          const requests = received(large, n * 1_000, 1_000);
          return () => {
            setAgain(evaluator, large, n);
            return ask(evaluator, requests);
          };
        });
    },
  });
  return workloads;
}
