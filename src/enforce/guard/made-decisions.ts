import type { MadeDecision } from '../../policy/decision-line/made-decision.js';
import type { Owner } from '../../policy/model/subject.js';
import type { ReadQuestion } from './guard-question.js';
import type { SourceCall } from './source.js';

/** A question with its decision. */
export interface DecidedQuestion extends Pick<ReadQuestion, 'action' | 'resource' | 'item'> {
  readonly allowed: boolean;
}

/** The facts that the decisions of one request have in common. */
export interface DecidedRequest {
  readonly source: string;
  readonly headers: SourceCall['headers'];
  readonly durationUs: number | undefined;
  readonly time: string | undefined;
}

/** The ids of the request that the guard carries on, by the fields of a decision. */
function idsOf(headers: SourceCall['headers'] = {}) {
  const [, traceId, spanId] = headers.traceparent?.split('-') ?? [];
  return { traceId, spanId, requestId: headers['x-request-id'] };
}

/** Returns the decisions on a request's questions, for a hook. */
export function madeDecisions(
  questions: readonly DecidedQuestion[],
  { user, groups, superuser }: Owner,
  { source, headers, durationUs, time }: DecidedRequest,
): MadeDecision[] {
  const ids = idsOf(headers);
  const subject = superuser ? {} : { user, groups: [...groups] };
  return questions.map(({ action, resource, item, allowed }) => ({
    ...ids,
    time,
    subject,
    action,
    resource,
    effect: allowed ? 'Allow' : 'Deny',
    ...(superuser && allowed ? { reason: 'superuser' as const } : {}),
    source,
    durationUs,
    context: item?.context,
  }));
}
