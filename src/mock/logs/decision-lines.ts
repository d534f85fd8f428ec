import { type Consideration, explain } from '../../policy/index.js';
import type { Platform } from '../platform.js';
import type { DecidedEvent } from '../wire/mock-events.js';
import { contextJson } from './context-json.js';
import type { Field, Log } from './zerolog.js';

/** The fields of a decision that all its lines begin with. */
const named = ({ question: { subject, action, resource } }: DecidedEvent): readonly Field[] => [
  ['user', subject.user ?? ''],
  ['action', action],
  ['resource', resource],
];

/** The steps of one binding: its scope, and then the policies of its role if the scope allows. */
function stepsOf({ outcome, role, skipped }: Consideration, policiesOf: (role: string) => number) {
  if (outcome === 'missing-role' || outcome === 'no-scope') return [];
  const inScope = outcome !== 'scope-denied' && outcome !== 'outside-scope';
  const scope = { policies: 1, message: inScope ? 'Access Granted' : deniedBy(outcome === 'scope-denied') };
  if (!inScope) return [scope];
  const allowed = outcome === 'allowed' || outcome === 'other-scope';
  const policies = policiesOf(role) - skipped.length;
  return [scope, { policies, message: allowed ? 'Access Granted' : deniedBy(outcome === 'denied') }];
}

const deniedBy = (explicit: boolean): string => (explicit ? 'Explicit deny' : 'Permission denied');

/** Logs the steps of an evaluation: its bindings up to the one that allows. The services take them in any order. */
function logSteps(event: DecidedEvent, { store }: Platform, log: Log): void {
  const { user } = event.question.subject;
  if (event.evaluated === undefined || user === undefined) return;
  const evaluator = store.evaluator();
  const { action, resource } = event.question;
  const policiesOf = (role: string): number => new Set(evaluator.role(role)?.policies).size;
  for (const considered of explain(evaluator, { user, action, resource }).considered) {
    for (const { policies, message } of stepsOf(considered, policiesOf)) {
      const effect = message === 'Access Granted' ? 'Allow' : 'Deny';
      const fields: Field[] = [
        ['policies', policies],
        ['effect', effect],
        ['message', message],
      ];
      log('debug', [...named(event), ...fields], 'AUTHZ-EVAL-DIAG EvaluatePolicies');
    }
    if (considered.outcome === 'allowed') return;
  }
}

/** True for a decision about the superuser. */
const isSuperusers = ({ evaluated }: DecidedEvent): boolean => evaluated?.message === 'Superuser Allowed';

/** Logs a decision of the management service itself, which the permissive types log once more. */
function logManaged(event: DecidedEvent, log: Log): void {
  const { evaluated } = event;
  if (evaluated === undefined || isSuperusers(event)) return;
  if (evaluated.allowed) log('debug', named(event), 'Permission granted');
  else log('info', [...named(event), ['reason', 'Permission denied']], 'Permission denied');
}

/** Logs a decision of a permissive type, which lets the caller through whatever the effect is. */
function logPermissive(event: DecidedEvent, log: Log): void {
  const { question, evaluated, failure, answer } = event;
  const fields: Field[] = [
    ['method', 'Permissive.Evaluate'],
    ...named(event),
    ['roles', question.subject.roles],
    ['context', contextJson(question.context, true)],
  ];
  if (failure !== undefined) {
    const error = failure instanceof Error ? failure.message : String(failure);
    log('warn', [...fields, ['error', error]], 'Failed to evaluate permission');
    return;
  }
  const made = evaluated ?? answer;
  const why = isSuperusers(event) ? 'Superuser access' : (made?.message ?? '');
  log('info', [...fields, ['message', why]], made?.allowed === true ? 'Access Granted' : 'Access Denied');
}

/** Logs a decision. The steps that led to it are for level debug alone, because they take time. */
export function logDecision(event: DecidedEvent, platform: Platform, log: Log, isDebug: boolean): void {
  const { type } = event;
  const isManaged = event.question.api === 'management';
  if (type === 'never' || (type === 'always' && !isManaged)) return;
  if (isSuperusers(event) && !isManaged) return;
  if (isDebug && !isSuperusers(event)) logSteps(event, platform, log);
  if (isManaged) logManaged(event, log);
  if (type !== 'central') logPermissive(event, log);
}
