import { type OnDecision, tell } from '../decisions/on-decision.js';
import type { Owner } from '../policy/model/subject.js';
import type { ReadQuestion } from './question.js';
import type { SourceCall } from './source.js';

/** The decisions of one request, with what they have in common. */
interface DecidedRequest {
  readonly owner: Owner;
  readonly source: string;
  readonly headers: SourceCall['headers'];
  readonly durationUs: number;
}

/** The ids of the request that the guard carries on, by the fields of a decision. */
function idsOf(headers: SourceCall['headers'] = {}) {
  const [, traceId, spanId] = headers.traceparent?.split('-') ?? [];
  return { traceId, spanId, requestId: headers['x-request-id'] };
}

/** Tells a hook about the decisions on a request's questions. */
export function tellDecisions(
  hook: OnDecision,
  questions: readonly (Pick<ReadQuestion, 'action' | 'resource' | 'item'> & { readonly allowed: boolean })[],
  { owner, source, headers, durationUs }: DecidedRequest,
): void {
  const ids = idsOf(headers);
  const { user, groups, superuser } = owner;
  const subject = superuser ? {} : { user, groups: [...groups] };
  for (const { action, resource, item, allowed } of questions) {
    tell(hook, {
      ...ids,
      subject,
      action,
      resource,
      effect: allowed ? 'Allow' : 'Deny',
      ...(superuser && allowed ? { reason: 'superuser' as const } : {}),
      source,
      durationUs,
      context: item?.context,
    });
  }
}
