import { remember } from '../../../base/lib/remember.js';
import type { Binding, Evaluator, GroupBinding, Statement } from '../../index.js';
import type { HiddenQuestion } from './hidden.js';
import { type Grants, type NarrowedStatement, narrowed } from './narrow.js';
import { Possible, type UnknownParts } from './possible.js';
import { Reasons } from './reasons.js';
import type { Generalise } from './wishes.js';

/** The parts that stay for questions of which the log hides a part. */
export interface KeptParts {
  readonly grants: Grants;
  readonly roles: ReadonlySet<string>;
  readonly bindings: readonly (Binding | GroupBinding)[];
}

/** Finds all that may have allowed questions of which the log hides a part. */
export function keepHidden(
  evaluator: Evaluator,
  hidden: readonly HiddenQuestion[],
  generalise: Generalise | undefined,
  parts: UnknownParts,
): KeptParts {
  const grants = new Map<string, Map<string, NarrowedStatement>>();
  const roles = new Set<string>();
  const bindings = new Set<Binding | GroupBinding>();
  const possible = new Possible(new Reasons(evaluator), parts);
  for (const question of hidden.filter(({ mayAllow }) => mayAllow)) {
    for (const { role, bindings: bound, rules } of possible.of(question)) {
      const allowing = rules.filter((rule) => rule.isAllow);
      if (allowing.length === 0) continue;
      roles.add(role);
      for (const binding of bound) bindings.add(binding);
      for (const { policy = '', statement: index } of allowing) {
        // The cast: a rule is a statement of its policy.
        const statement = evaluator.policy(policy)?.statements[index] as Statement;
        const { action, resource } = question;
        const isWhole = action === undefined || resource === undefined;
        const statements = isWhole ? [statement] : narrowed(statement, [{ action, resource }], generalise);
        const ofPolicy = remember(grants, policy, () => new Map<string, NarrowedStatement>());
        for (const { actions, resources } of statements) {
          ofPolicy.set(JSON.stringify([actions, resources]), { actions, resources });
        }
      }
    }
  }
  const lists = [...grants].map(([name, ofPolicy]): [string, NarrowedStatement[]] => [name, [...ofPolicy.values()]]);
  return { grants: new Map(lists), roles, bindings: [...bindings] };
}

/** The statements of both grants for each policy, equal ones once. */
export function join(a: Grants, b: Grants): Grants {
  const names = new Set([...a.keys(), ...b.keys()]);
  const keyOf = ({ actions, resources }: NarrowedStatement) => JSON.stringify([actions, resources]);
  return new Map(
    [...names].map((name) => {
      const all = [...(a.get(name) ?? []), ...(b.get(name) ?? [])];
      return [name, [...new Map(all.map((item) => [keyOf(item), item])).values()]];
    }),
  );
}
