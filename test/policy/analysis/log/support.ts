import type { DecisionLine } from '../../../../src/policy/decision-line/line.ts';
import type { LoggedDecision } from '../../../../src/policy/decisions/index.ts';

/** The scope that limits nothing. */
export const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

/** A decision about alice and order 7, unless fields say otherwise. */
export const decisionOf = (fields: Partial<DecisionLine> = {}): DecisionLine => ({
  v: 1,
  kind: 'decision',
  time: '2026-11-23T12:00:00Z',
  subject: { user: 'alice' },
  action: 'orders:read',
  resource: 'order:7',
  effect: 'Allow',
  enforced: false,
  ...fields,
});

/** Yields lines as `readDecisions` does. */
export async function* logOf(lines: readonly DecisionLine[]): AsyncGenerator<LoggedDecision> {
  for (const [i, decision] of lines.entries()) yield { line: i + 1, decision };
}

export const allow = (actions: readonly string[], resources: readonly string[]) =>
  ({ effect: 'Allow', actions, resources }) as const;
export const deny = (actions: readonly string[], resources: readonly string[]) =>
  ({ effect: 'Deny', actions, resources }) as const;
