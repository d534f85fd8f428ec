import { momentPattern } from '../../base/lib/moment.js';
import { isObject, isTexts } from '../../base/lib/values.js';
import type { DecisionLine } from '../decision-line/line.js';
import { decisionReasons } from './decision-reasons.js';

/** The optional fields that hold a text. */
const texts = ['decisionId', 'traceId', 'spanId', 'requestId', 'service', 'operation', 'source'] as const;
/** The optional fields of other kinds; a line that has one of them is left to the schema, as is a line with `v` 2. */
const rare = ['revision', 'shadow', 'context', 'masked'] as const;

const reasons: ReadonlySet<unknown> = new Set([undefined, ...decisionReasons]);

const isTextOrMissing = (value: unknown): boolean => value === undefined || typeof value === 'string';

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isStatement = (value: unknown): boolean =>
  isObject(value) && typeof value.role === 'string' && isTextOrMissing(value.policy) && isCount(value.statement);

const isSubject = (value: unknown): boolean =>
  isObject(value) &&
  isTextOrMissing(value.user) &&
  isTextOrMissing(value.userHash) &&
  (value.groups === undefined || isTexts(value.groups));

/** True for a decision that is surely valid, in a tenth of the time of the schema, which checks all other lines. */
export function isPlainDecision(line: Readonly<Record<string, unknown>>): line is typeof line & DecisionLine {
  const { kind, time, subject, action, resource, effect, reason, enforced, because, durationUs } = line;
  return (
    line.v === 1 &&
    kind === 'decision' &&
    typeof time === 'string' &&
    momentPattern.test(time) &&
    typeof action === 'string' &&
    typeof resource === 'string' &&
    (effect === 'Allow' || effect === 'Deny') &&
    typeof enforced === 'boolean' &&
    reasons.has(reason) &&
    isSubject(subject) &&
    (durationUs === undefined || (Number.isFinite(durationUs) && (durationUs as number) >= 0)) &&
    (because === undefined || (Array.isArray(because) && because.every(isStatement))) &&
    texts.every((name) => isTextOrMissing(line[name])) &&
    rare.every((name) => line[name] === undefined)
  );
}
