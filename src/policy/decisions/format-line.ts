import { jsonText } from '../../base/lib/json-text.js';
import type { DecisionLine } from '../decision-line/line.js';
import type { MadeDecision } from '../decision-line/made-decision.js';

/** The rules of a log for what its lines hold. */
export interface LineRules {
  /** The service that asks, for decisions that name none. */
  readonly service: string | undefined;
  /** True if contexts are logged. */
  readonly withContext: boolean;
}

/** Formats any line of a log, with its line end. U+FFFD is escaped, too: the reader takes it for broken UTF-8. */
export const formatLine = (line: object): string => `${jsonText(line).replaceAll('\ufffd', '\\ufffd')}\n`;

/** The known fields of a decision, in the order of a line. */
export function knownFields(decision: MadeDecision) {
  const { revision, shadow } = decision;
  const { user, userHash, groups } = decision.subject;
  return {
    decisionId: decision.decisionId,
    traceId: decision.traceId,
    spanId: decision.spanId,
    requestId: decision.requestId,
    service: decision.service,
    operation: decision.operation,
    subject: { user, userHash, groups },
    action: decision.action,
    resource: decision.resource,
    effect: decision.effect,
    reason: decision.reason,
    enforced: decision.enforced,
    source: decision.source,
    revision: revision && { policies: revision.policies, roles: revision.roles, bindings: revision.bindings },
    because: decision.because?.map(({ role, policy, statement }) => ({ role, policy, statement })),
    durationUs: decision.durationUs,
    shadow: shadow && { effect: shadow.effect, reason: shadow.reason, source: shadow.source },
  } satisfies {
    readonly [Name in keyof Omit<MadeDecision, 'time' | 'context'>]-?: MadeDecision[Name] | undefined;
  };
}

/**
 * Formats the line of a decision, of its known fields only. `hash` is the keyed hash of the user, if the log hides
 * names.
 */
export function formatDecision(decision: MadeDecision, time: string, rules: LineRules, hash?: string): string {
  const { context } = decision;
  const fields = knownFields(decision);
  const masked: string[] = [];
  if (hash !== undefined) masked.push('/subject/user');
  if (context !== undefined && !rules.withContext) masked.push('/context');
  return formatLine({
    v: 1,
    kind: 'decision',
    time: decision.time ?? time,
    ...fields,
    service: fields.service ?? rules.service,
    subject: hash === undefined ? fields.subject : { userHash: hash, groups: fields.subject.groups },
    enforced: fields.enforced ?? true,
    context: rules.withContext ? context : undefined,
    masked: masked.length === 0 ? undefined : masked,
  } satisfies { readonly [Name in keyof DecisionLine]-?: DecisionLine[Name] | undefined });
}
