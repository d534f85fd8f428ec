import { remember } from '../../base/lib/remember.js';
import type { Policy, Role, Statement } from '../model/model.js';
import { type Placed, PlacedList } from './placed-statements.js';
import { type ParsedStatement, parseStatement } from './statement-index.js';

/** The statements of roles, each parsed once. */
export class RoleStatements {
  readonly #policies: ReadonlyMap<string, Policy>;
  readonly #roles: ReadonlyMap<string, Role>;
  readonly #parsed = new Map<Statement, ParsedStatement>();
  readonly #lists = { Allow: new Map<string, PlacedList>(), Deny: new Map<string, PlacedList>() };

  constructor(policies: ReadonlyMap<string, Policy>, roles: ReadonlyMap<string, Role>) {
    this.#policies = policies;
    this.#roles = roles;
  }

  /** The statements of the named role with one effect, cached. */
  of(name: string, effect: Statement['effect']): PlacedList {
    return remember(this.#lists[effect], name, () => this.inPolicies(this.#roles.get(name)?.policies ?? [], effect));
  }

  /** The statements of some policies with one effect. */
  inPolicies(policies: readonly string[], effect: Statement['effect']): PlacedList {
    const placed: Placed[] = [];
    for (const policy of new Set(policies)) {
      for (const [i, statement] of (this.#policies.get(policy)?.statements ?? []).entries()) {
        if (statement.effect !== effect) continue;
        const parsed = remember(this.#parsed, statement, () => parseStatement(statement));
        placed.push({ path: ['policies', policy, 'statements', i], policy, parsed });
      }
    }
    return new PlacedList(placed);
  }
}
