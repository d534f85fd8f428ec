import { createMomentFormat } from '../../base/lib/moment.js';
import { readArgument, readFunction } from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import type { MadeDecision } from '../../policy/decision-line/made-decision.js';
import { notify, type OnDecision } from '../../policy/decision-line/on-decision.js';
import type { Platform } from '../platform.js';
import type { DecidedEvent, Watcher } from '../wire/mock-events.js';
import type { Exchange } from '../wire/mock-exchange.js';

const traceparent = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}/;

/** The reason of a decision, as far as it is known without evaluating it again. */
function reasonOf({ evaluated, failure }: DecidedEvent): MadeDecision['reason'] {
  if (failure !== undefined) return 'failed';
  if (evaluated?.allowed !== true) return undefined;
  return evaluated.message === 'Superuser Allowed' ? 'superuser' : 'allowed';
}

function describe(event: DecidedEvent, exchange: Exchange, { fidelity, store }: Platform, time: string): MadeDecision {
  const { question, type, evaluated, failure, answer } = event;
  const { subject, action, resource, context } = question;
  const { headers } = exchange.request;
  const trace = headers.get('traceparent');
  const [, traceId, spanId] = (trace && traceparent.exec(trace)) || [];
  const reason = reasonOf(event);
  const { policies, roles, bindings } = store.pool;
  return {
    time,
    traceId,
    spanId,
    requestId: headers.get('x-request-id') || undefined,
    subject: reason === 'superuser' ? {} : { user: subject.user, groups: subject.roles },
    action,
    resource,
    effect: failure === undefined ? ((evaluated ?? answer)?.effect ?? 'Deny') : 'Deny',
    reason,
    enforced: type !== 'central-permissive' || (fidelity.permissiveDenies && failure === undefined),
    source: 'mock',
    revision: {
      policies: policies.changes.newest(),
      roles: roles.changes.newest(),
      bindings: bindings.changes.newest(),
    },
    context: isObject(context) ? context : undefined,
  };
}

/** Reports each decision of a mock to a hook until the returned function is called. */
export function startOnDecision(platform: Platform, onDecision: OnDecision): () => void {
  const hook: OnDecision = readArgument(onDecision, 'hook', readFunction);
  const timeOf = createMomentFormat();
  const watcher: Watcher = (event, exchange) => {
    if (event.kind === 'decided') notify(hook, describe(event, exchange, platform, timeOf(platform.clock.now())));
  };
  platform.watchers.add(watcher);
  return () => void platform.watchers.delete(watcher);
}
