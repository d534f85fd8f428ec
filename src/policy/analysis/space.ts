import { remember } from '../../base/lib/remember.js';
import type { Policy } from '../index.js';
import type { PatternPair } from './analysis-types.js';
import { type Area, meetPairs, type Pair, workOfObject } from './region.js';
import { meet, parseShape, type Shape } from './text-shape.js';
import type { Work } from './work.js';

/** A pair that a statement allows. */
export interface Rule {
  readonly pair: Pair;
  /** The index of the statement. */
  readonly statement: number;
}

/** The statements of a policy or a scope as pairs. */
export type Rules = { readonly serial: number; readonly allow: readonly Rule[]; readonly deny: readonly Pair[] };

/** Parses each pattern and each policy once. With a `focus`, omits pairs that do not overlap it. */
export class Space {
  readonly work: Work;
  readonly focus: Pair | undefined;
  readonly #actions = new Map<string, Shape>();
  readonly #resources = new Map<string, Shape>();
  readonly #pairs = new Map<Shape, Map<Shape, Pair>>();
  readonly #numbers = new Map<Pair, number>();
  readonly #rules = new Map<Policy, Rules>();
  readonly #contents = new Map<string, number>();
  readonly #known = new Map<object, number>();

  constructor(work: Work, focus?: { readonly action: string; readonly resource: string }) {
    this.work = work;
    this.focus = focus && this.pair(focus.action, focus.resource);
  }

  pair(action: string, resource: string): Pair {
    return this.#join(this.#shape(action, true), this.#shape(resource, false));
  }

  area({ action, resource }: PatternPair): Area {
    return { pair: this.pair(action, resource), except: [], because: [] };
  }

  rulesOf(policy: Policy): Rules {
    return remember(this.#rules, policy, () => {
      const [allow, deny]: [Rule[], Pair[]] = [[], []];
      for (const [statement, { effect, actions, resources }] of policy.statements.entries()) {
        for (const pair of this.#product(actions, resources)) {
          if (effect === 'Allow') allow.push({ pair, statement });
          else deny.push(pair);
        }
      }
      return { serial: this.#rules.size, allow, deny };
    });
  }

  /** Equal for policies that allow and deny the same pairs. */
  contentOf(thing: object, rules: readonly Rules[]): number {
    return remember(this.#known, thing, () => this.#contentOf(rules));
  }

  #contentOf(all: readonly Rules[]): number {
    const codes = new Set<number>();
    for (const { allow, deny } of all) {
      for (const { pair } of allow) codes.add(2 * this.#numberOf(pair));
      for (const pair of deny) codes.add(2 * this.#numberOf(pair) + 1);
    }
    const key = Uint32Array.from(codes).sort().join();
    return remember(this.#contents, key, () => this.#contents.size);
  }

  *#product(actions: readonly string[], resources: readonly string[]): Generator<Pair> {
    const { focus, work } = this;
    const meets = (shape: Shape, other: Shape | undefined) => !other || meet(shape, other);
    const shapes = resources.map((text) => this.#shape(text, false)).filter((shape) => meets(shape, focus?.resource));
    for (const text of actions) {
      const action = this.#shape(text, true);
      if (!meets(action, focus?.action)) continue;
      work.spend(workOfObject * shapes.length);
      for (const resource of shapes) {
        const pair = this.#join(action, resource);
        // The action and the resource overlap the focus, so the pair of both does, too.
        yield focus === undefined ? pair : (meetPairs(focus, pair, work) as Pair);
      }
    }
  }

  #shape(text: string, isAction: boolean): Shape {
    this.work.spend(1 + (text.length >> 4));
    return remember(isAction ? this.#actions : this.#resources, text, () => parseShape(text, isAction));
  }

  #join(action: Shape, resource: Shape): Pair {
    const pairs = remember(this.#pairs, action, () => new Map<Shape, Pair>());
    return remember(pairs, resource, () => ({ action, resource }));
  }

  #numberOf(pair: Pair): number {
    return remember(this.#numbers, pair, () => this.#numbers.size);
  }
}
