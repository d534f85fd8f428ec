import { remember } from '../../../base/lib/remember.js';
import type { Policy } from '../../index.js';
import type { Pattern } from '../../model/pattern.js';
import type { Reasons } from './reasons.js';
import type { Wish } from './wishes.js';

/** The resources of the statements that match an action. */
type ActionRules = { readonly allow: readonly Pattern[]; readonly deny: readonly Pattern[] };

/** True if a statement allows every action on every resource. */
export const allowsEverything = (policy: Policy | undefined): boolean =>
  policy?.statements.some(
    ({ effect, actions, resources }) => effect === 'Allow' && actions.includes('*') && resources.includes('*'),
  ) === true;

/** The statements of roles by action, whatever the scopes of bindings. */
export class HiddenRoleRules {
  readonly #reasons: Reasons;
  readonly #byAction = new Map<string, Map<string, ActionRules>>();

  constructor(reasons: Reasons) {
    this.#reasons = reasons;
  }

  /** The resources that a role allows and denies for an action. */
  for(role: string, action: string): ActionRules {
    const byRole = remember(this.#byAction, action, () => new Map<string, ActionRules>());
    return remember(byRole, role, () => {
      const rules =
        this.#reasons.rules(role)?.filter(({ actions }) => actions.some((pattern) => pattern.matches(action))) ?? [];
      const resources = (isAllow: boolean) => rules.flatMap((rule) => (rule.isAllow === isAllow ? rule.resources : []));
      return { allow: resources(true), deny: resources(false) };
    });
  }

  /** True for the role of an administrator, which is the last choice although it would do for any wish. */
  isWide(role: string): boolean {
    const { evaluator } = this.#reasons;
    return evaluator.role(role)?.policies.some((name) => allowsEverything(evaluator.policy(name))) === true;
  }

  /** True if a role allows all questions of a wish. */
  grant(role: string, { action, questions }: Wish): boolean {
    const { allow, deny } = this.for(role, action);
    const isMatched = (patterns: readonly Pattern[], text: string) => patterns.some((pattern) => pattern.matches(text));
    return questions.every(({ question: { resource } }) => isMatched(allow, resource) && !isMatched(deny, resource));
  }
}
