import type { ReplayError, UndecidedReason } from '../../../../policy/analysis/log/log-types.js';
import { Reasons } from '../../../../policy/analysis/log/reasons.js';
import { findAllDenied, toDenials } from '../../../../policy/analysis/log/rehearse.js';
import { replayQuestions } from '../../../../policy/analysis/log/replay.js';
import type { ReplayChange } from '../../../../policy/analysis/log/replay-changes.js';
import { sum } from '../../../../policy/analysis/log/tally.js';
import { findUnused } from '../../../../policy/analysis/log/usage.js';
import { createEvaluator, type Evaluator, type Policy } from '../../../../policy/index.js';
import type { Flips, LogQuestions, LogState, Part, Replayed, Unused } from '../reader-messages.js';
import { type LogIndex, whoOf } from './log-index.js';

/** The most questions of a group that are named. */
const mostQuestions = 5;

const withScope = <T extends { readonly scope: Policy | null }>({ scope, ...names }: T) =>
  scope === null ? names : { ...names, scope };

/** Creates the evaluator of permissions that the page sent. */
function toEvaluator({ policies, roles, bindings, groupBindings, fidelity }: LogState): Evaluator {
  const state = {
    policies: new Map(policies.map(({ name, policy }) => [name, policy])),
    roles: new Map(roles.map(({ name, role }) => [name, role])),
    bindings: bindings.map(withScope),
    groupBindings: groupBindings.map(withScope),
  };
  return createEvaluator(state, { fidelity });
}

const part = <T, R>(list: readonly T[], most: number, show: (item: T) => R): Part<R> => ({
  rows: list.slice(0, most).map(show),
  all: list.length,
});

const toFlips = ({ count, groups }: ReplayChange, most: number): Flips => ({
  count,
  ...part(groups, most, ({ subject, cause, count: times, lastSeen = '', questions }) => ({
    ...whoOf(subject),
    cause,
    count: times,
    lastSeen,
    questions: part(questions, mostQuestions, ({ action, resource, count: occurrences }) => ({
      action,
      resource,
      count: occurrences,
    })),
  })),
});

/** Decides the log again by other permissions. */
export function toReplayed(log: LogIndex, { state, baseline, most }: LogQuestions['replay']): Replayed {
  const questions = log.questions();
  const after = toEvaluator(state);
  const {
    log: extent,
    revoked,
    gained,
    error,
    undecided,
  } = replayQuestions(questions, after, baseline && toEvaluator(baseline));
  const counts = new Map<ReplayError | UndecidedReason, number>();
  for (const { reason, count } of [...error.groups, ...undecided.groups]) {
    counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  const denied = toDenials(findAllDenied(questions.questions, new Reasons(after)));
  return {
    decisions: extent.count,
    denied: { ...toFlips(denied, most), users: denied.users, actions: denied.actions },
    revoked: toFlips(revoked, most),
    gained: toFlips(gained, most),
    notReplayed: [...counts].map(([reason, count]) => ({ reason, count })),
  };
}

/** Finds the parts of the permissions that decided nothing in the log. */
export function toUnused(log: LogIndex, { state, most }: LogQuestions['usage']): Unused {
  const evaluator = toEvaluator(state);
  const { questions, coverage, hidden, undecided } = log.questions();
  const { policies, statements, roles, bindings } = findUnused(new Reasons(evaluator), { questions, hidden });
  const whole = new Set(policies);
  const textOf = (policy: string, statement: number): string => {
    const rule = evaluator.policy(policy)?.statements[statement];
    const content = rule && `${rule.effect} ${rule.actions.join(', ')} on ${rule.resources.join(', ')}`;
    return `${policy}, statement ${statement + 1}: ${content}`;
  };
  return {
    since: coverage.firstSeen ?? null,
    users: coverage.users,
    days: coverage.days,
    undecided: sum(undecided.map(({ tally }) => tally)).count,
    policies: part(policies, most, (name) => name),
    statements: part(
      statements.filter(({ policy }) => !whole.has(policy)),
      most,
      ({ policy, statement }) => textOf(policy, statement),
    ),
    roles: part(roles, most, (name) => name),
    bindings: part(bindings, most, ({ user, role }) => `${user} → ${role}`),
  };
}
