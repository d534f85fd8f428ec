import type { IssuePath } from '../../base/lib/text/paths.js';
import { printable } from '../../base/lib/text/printable.js';
import { type Evaluator, type Explanation, formatExplanation } from '../../policy/index.js';
import type { Permissions } from '../files/collect-files.js';
import { bindingKey } from '../model/binding-key.js';

/** Explains decisions with file and line of the statements and bindings. */
export class Explainer {
  readonly #locate: Permissions['locate'];
  readonly #bindings: ReadonlyMap<string, number>;

  constructor({ bindings, locate = () => undefined }: Partial<Pick<Permissions, 'bindings' | 'locate'>>) {
    this.#locate = locate;
    this.#bindings = new Map(bindings?.map((binding, i) => [bindingKey(binding), i]));
  }

  text(evaluator: Evaluator, explanation: Explanation): string {
    const bindings = evaluator.bindings(explanation.request.user ?? '');
    const lines = explanation.considered.flatMap(({ statement }, i) => {
      const binding = bindings[i];
      const index = binding && this.#bindings.get(bindingKey(binding));
      const bound =
        index === undefined ? [] : this.#at(['bindings', index], `binding to role ${JSON.stringify(binding?.role)}`);
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
