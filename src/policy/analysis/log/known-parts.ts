import { anyText, listOf, optional, optionsOf, type Reader, type ReadersOf } from '../../../base/lib/readers.js';
import type { Evaluator, Policy } from '../../index.js';
import { evaluationRules } from '../../model/fidelity.js';
import { nameFault } from '../../model/predefined-names.js';
import { type Question, talliesOf } from './log-question.js';
import type { Questions } from './read-questions.js';
import { sum } from './tally.js';

/** Items of a deployment that a token may not read, by name. */
export interface Unread {
  readonly policies?: readonly string[] | undefined;
  readonly roles?: readonly string[] | undefined;
  /** Users whose bindings could not be read. */
  readonly users?: readonly string[] | undefined;
  /** Groups whose bindings could not be read. */
  readonly groups?: readonly string[] | undefined;
}

/** The parts of a deployment that a state holds. Questions that depend on the rest are not decided. */
export interface KnownParts {
  /**
   * The users whose bindings the state holds, such as `users` of a state that `readState` has read; default `all`.
   * Questions of other users are not decided.
   */
  readonly users?: readonly string[] | 'all' | undefined;
  /**
   * The groups whose bindings the state holds, such as `groups` of that state; `none` if there are no such bindings.
   * Default `all`. Questions of other groups are not decided.
   */
  readonly groups?: readonly string[] | 'all' | 'none' | undefined;
  /**
   * Policies and roles that the deployment has and the state lacks, such as `unread` of a state that `readState` has
   * read. Questions whose answer depends on them are not decided.
   */
  readonly unread?: Unread | undefined;
}

const names = listOf(anyText);

export const knownReaders = {
  groups: ((value, reading) => (value === 'all' || value === 'none' ? value : names(value, reading))) as Reader<
    readonly string[] | 'all' | 'none'
  >,
  users: ((value, reading) => (value === 'all' ? value : names(value, reading))) as Reader<readonly string[] | 'all'>,
  unread: optionsOf({
    policies: optional(names),
    roles: optional(names),
    users: optional(names),
    groups: optional(names),
  } satisfies ReadersOf<Unread>),
} satisfies ReadersOf<KnownParts>;

const anything = (effect: 'Allow' | 'Deny'): Policy => ({
  statements: [{ effect, actions: ['*'], resources: ['*'] }],
});

/** The questions that a state decides, and those that it cannot decide because a part of it is not known. */
export type Decidable = { readonly known: Questions; readonly unknown: readonly UnknownQuestion[] };

/** A question that a state does not decide. */
export interface UnknownQuestion extends Question {
  /** False if the subject may have bindings that the state lacks. */
  readonly hasBindings: boolean;
}

/** The users or groups whose bindings a state holds. Names that no binding can hold have none. */
function knownOwners(owners: KnownParts['groups'], unread: Unread['users']) {
  const [held, lacking] = [typeof owners === 'object' ? new Set(owners) : undefined, new Set(unread)];
  return {
    isAll: held === undefined && lacking.size === 0,
    has: (name: string) => nameFault(name) !== undefined || (!lacking.has(name) && held?.has(name) !== false),
  };
}

/** Knows which decisions of a state do not depend on the parts that it lacks. */
export class Knowledge {
  /** The state with unread policies that deny everything, and unread roles that allow nothing. */
  readonly least: Evaluator;
  /** The state with unread policies and roles that allow everything. */
  readonly #most: Evaluator;
  readonly #groups: ReturnType<typeof knownOwners>;
  /** True if the state has the bindings of a user. */
  readonly hasBindingsOf: (user: string) => boolean;
  /** False if users or groups may have bindings that the state lacks. */
  readonly hasAllBindings: boolean;

  constructor(evaluator: Evaluator, { users, groups, unread = {} }: KnownParts) {
    const { policies = [], roles = [] } = unread;
    const ofUsers = knownOwners(users, unread.users);
    this.hasBindingsOf = ofUsers.has;
    this.#groups = knownOwners(groups, unread.groups);
    this.hasAllBindings = ofUsers.isAll && this.#groups.isAll;
    this.least = evaluator;
    this.#most = evaluator;
    if (policies.length + roles.length === 0) return;
    this.least = evaluator.clone();
    this.#most = evaluator.clone();
    for (const name of policies) {
      this.least.setPolicy(name, anything('Deny'));
      this.#most.setPolicy(name, anything('Allow'));
    }
    let free = 'unread';
    while (evaluator.policy(free) !== undefined || policies.includes(free)) free += '-';
    if (roles.length > 0) this.#most.setPolicy(free, anything('Allow'));
    for (const name of roles) {
      this.least.setRole(name, { policies: [] });
      this.#most.setRole(name, { policies: [free] });
    }
  }

  /** True if the state has the bindings of these groups; undefined stands for all. */
  hasGroups(names: readonly string[] | undefined): boolean {
    return names ? names.every(this.#groups.has) : this.#groups.isAll;
  }

  #isKnown({ subject, action, resource }: Question): boolean {
    const { user, roles = [], superuser } = subject;
    if (superuser || action === '') return true;
    // The groups of an empty user count only at the observed services.
    if (user === '' && evaluationRules[this.least.fidelity].rolesCount) return true;
    if (!this.hasGroups(roles)) return false;
    if (user !== undefined && !this.hasBindingsOf(user)) return false;
    if (this.least === this.#most) return true;
    const question = { ...subject, action, resource };
    return this.least.isAllowed(question) === this.#most.isAllowed(question);
  }

  /** Moves questions that the state cannot decide from a log to the errors. */
  divide(all: Questions): Decidable {
    const { questions, errors, coverage, undecided: records } = all;
    const isWhole = this.hasAllBindings && this.least === this.#most;
    const undecided = isWhole ? [] : questions.filter((question) => !this.#isKnown(question));
    if (undecided.length === 0) return { known: all, unknown: [] };
    const without = new Set(undecided);
    const left = questions.filter((question) => !without.has(question));
    const total = (list: readonly Question[]) => sum(list.flatMap(talliesOf));
    const users = new Set(left.flatMap(({ subject }) => subject.user ?? [])).size;
    const known: Questions = {
      ...all,
      undecided: records.filter(({ question }) => question === undefined || !without.has(question)),
      questions: left,
      errors: new Map([...errors, ['not-known', total(undecided)]]),
      coverage: { ...coverage, ...total(left).seen, questions: left.length, users },
    };
    const hasBindings = ({ subject: { user, roles = [] } }: Question): boolean =>
      (user === undefined || this.hasBindingsOf(user)) && this.hasGroups(roles);
    return { known, unknown: undecided.map((question) => ({ ...question, hasBindings: hasBindings(question) })) };
  }
}
