import type { Effect, Evaluator, Explanation, Policy, Statement } from '../../policy/index.js';
import { Pattern } from '../../policy/model/pattern.js';
import type { Permissions } from '../files/collect-files.js';
import { bindingKey, bindingPaths, consideredKeys } from '../model/binding-key.js';
import type { FilePlace } from '../model/permissions-error.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { allBindings, bindingItem, describeItem } from '../model/plan-change.js';

/** A state to test. If it was read from files, it also has named scopes and places. */
export type TestedState = PermissionsState & Partial<Pick<Permissions, 'scopes' | 'locate'>>;

/** A statement or a binding, with the number of questions that it decided. */
export interface CoveredItem {
  readonly kind: 'statement' | 'binding';
  /** A readable name: `policy "reader" statement 1`. */
  readonly name: string;
  /** The number of questions that it decided. */
  readonly decided: number;
  /** The place in the files, if the state comes from files. */
  readonly place?: FilePlace | undefined;
}

/**
 * The statements and bindings of a state. An allowed question is decided by the statements and bindings that are its
 * reasons; a denied question by the Deny statements that matched, and by each binding whose Deny or scope prevented an
 * Allow.
 */
export interface Coverage {
  readonly items: readonly CoveredItem[];
}

interface Counter extends CoveredItem {
  decided: number;
}

/** The counters of one policy or scope. */
type Statements = readonly Counter[];

/** Counts the questions that each statement and binding decides. */
export class CoverageCounter {
  readonly #items: Counter[] = [];
  readonly #policies = new Map<string, Statements>();
  readonly #scopes = new Map<Policy, Statements>();
  readonly #bindings = new Map<string, { readonly item: Counter; readonly scope: Policy | undefined }>();
  readonly #patterns = new Map<string, Pattern>();

  constructor(state: TestedState) {
    const { policies, scopes = new Map(), locate = () => undefined } = state;
    const add = (kind: Counter['kind'], name: string, place: FilePlace | undefined): Counter => {
      const item = { kind, name, decided: 0, place };
      this.#items.push(item);
      return item;
    };
    const all = ({ statements }: Policy, name: string, ...path: (string | number)[]) =>
      statements.map((_, i) => add('statement', `${name} statement ${i + 1}`, locate([...path, 'statements', i])));
    for (const [name, scope] of scopes) {
      this.#scopes.set(scope, all(scope, `scope ${JSON.stringify(name)}`, 'scopes', name));
    }
    for (const [name, policy] of policies) {
      this.#policies.set(name, all(policy, `policy ${JSON.stringify(name)}`, 'policies', name));
    }
    const paths = bindingPaths(state);
    for (const binding of allBindings(state)) {
      const { scope } = binding;
      const [key, name] = [bindingKey(binding), describeItem(bindingItem(binding))];
      const path = paths.get(key) ?? [];
      const item = add('binding', name, locate(path));
      this.#bindings.set(key, { item, scope: scope ?? undefined });
      // Several bindings may share a named scope, which is listed once.
      if (scope && !this.#scopes.has(scope)) {
        this.#scopes.set(scope, all(scope, `scope of the ${name}`, ...path, 'scope'));
      }
    }
  }

  /** Counts the items that decided a question. `addedScopes` holds the scopes of bindings that tests add, by key. */
  count(evaluator: Evaluator, explanation: Explanation, addedScopes: ReadonlyMap<string, Policy>): void {
    const { request, decision, considered } = explanation;
    const keys = consideredKeys(evaluator, explanation);
    for (const [i, step] of considered.entries()) {
      const key = keys[i];
      if (key === undefined) continue;
      const entry = this.#bindings.get(key);
      const scope = entry?.scope ?? addedScopes.get(key);
      const inRole = (effect: Effect) => {
        for (const name of evaluator.role(step.role)?.policies ?? []) {
          const policy = evaluator.policy(name);
          if (policy) this.#countMatches(this.#policies.get(name), policy, effect, request);
        }
      };
      const inScope = (effect: Effect) => {
        if (scope) this.#countMatches(this.#scopes.get(scope), scope, effect, request);
      };
      const { outcome, statement } = step;
      if (decision.allowed) {
        if (outcome !== 'allowed') continue;
        inRole('Allow');
        inScope('Allow');
      } else if (outcome === 'denied') inRole('Deny');
      else if (outcome === 'scope-denied') inScope('Deny');
      else if (outcome !== 'outside-scope' || statement?.statement.effect !== 'Allow') continue;
      if (entry) entry.item.decided += 1;
    }
  }

  #countMatches(
    counters: Statements | undefined,
    { statements }: Policy,
    effect: Effect,
    request: Explanation['request'],
  ): void {
    for (const [i, statement] of statements.entries()) {
      const counter = counters?.[i];
      if (counter && statement.effect === effect && this.#matches(statement, request)) counter.decided += 1;
    }
  }

  #matches({ actions, resources }: Statement, { action, resource }: Explanation['request']): boolean {
    return this.#any(actions, action) && this.#any(resources, resource);
  }

  #any(patterns: readonly string[], text: string): boolean {
    return patterns.some((pattern) => {
      const matcher = this.#patterns.get(pattern) ?? new Pattern(pattern);
      this.#patterns.set(pattern, matcher);
      return matcher.matches(text);
    });
  }

  coverage(): Coverage {
    return { items: this.#items.map((item) => ({ ...item })) };
  }
}
