import type { IssuePath } from '../../base/lib/text/paths.js';
import { printable } from '../../base/lib/text/printable.js';
import { type Evaluator, type Explanation, formatExplanation } from '../../policy/index.js';
import type { Permissions } from '../files/collect-files.js';
import { bindingPaths, consideredKeys } from '../model/binding-key.js';

/** Explains decisions with file and line of the statements and bindings. */
export class Explainer {
  readonly #locate: Permissions['locate'];
  readonly #bindings: ReadonlyMap<string, IssuePath>;

  constructor(state: Partial<Pick<Permissions, 'bindings' | 'groupBindings' | 'locate'>>) {
    this.#locate = state.locate ?? (() => undefined);
    this.#bindings = bindingPaths(state);
  }

  text(evaluator: Evaluator, explanation: Explanation): string {
    const keys = consideredKeys(evaluator, explanation);
    const lines = explanation.considered.flatMap(({ role, statement }, i) => {
      const path = this.#bindings.get(keys[i] ?? '');
      const bound = path ? this.#at(path, `binding to role ${JSON.stringify(role)}`) : [];
      if (statement?.policy === undefined) return bound;
      const name = `policy ${JSON.stringify(statement.policy)} statement ${statement.index + 1}`;
      return [...bound, ...this.#at(['policies', statement.policy, 'statements', statement.index], name)];
    });
    return [formatExplanation(explanation), ...new Set(lines)].join('\n');
  }

  #at(path: IssuePath, name: string): string[] {
    const place = this.#locate(path);
    return place ? [printable(`  at ${place.file}:${place.line}:${place.column} (${name})`)] : [];
  }
}
