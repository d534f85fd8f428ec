import { momentPattern } from '../../base/lib/moment.js';
import { isObject, isTexts } from '../../base/lib/values.js';
import type { GapLine } from '../decision-line/gap-line.js';
import type { DecisionLine } from '../decision-line/line.js';
import { decisionReasons } from './decision-reasons.js';

/** The optional fields that hold a text. */
const texts = ['decisionId', 'traceId', 'spanId', 'requestId', 'service', 'operation', 'source'] as const;

const reasons: ReadonlySet<unknown> = new Set([undefined, ...decisionReasons]);

const isMissing = (value: unknown): value is undefined => value === undefined;

const isTextOrMissing = (value: unknown): boolean => isMissing(value) || typeof value === 'string';

const isMoment = (value: unknown): boolean => typeof value === 'string' && momentPattern.test(value);

const isEffect = (value: unknown): boolean => value === 'Allow' || value === 'Deny';

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isStatement = (value: unknown): boolean =>
  isObject(value) && typeof value.role === 'string' && isTextOrMissing(value.policy) && isCount(value.statement);

const isSubject = (value: unknown): boolean =>
  isObject(value) &&
  isTextOrMissing(value.user) &&
  isTextOrMissing(value.userHash) &&
  (isMissing(value.groups) || isTexts(value.groups));

const isRevision = (value: unknown): boolean =>
  isObject(value) && isCount(value.policies) && isCount(value.roles) && isCount(value.bindings);

const isShadow = (value: unknown): boolean =>
  isObject(value) && isEffect(value.effect) && reasons.has(value.reason) && isTextOrMissing(value.source);

/**
 * True for what the schema of a line (`scripts/lib/schemas/line-schema.ts`) accepts, in a tenth of its time, so that a
 * reader of logs needs no zod. The published JSON Schema is made from that schema.
 */
export function isDecision(line: Readonly<Record<string, unknown>>): line is typeof line & DecisionLine {
  const { subject, reason, because, durationUs, revision, shadow, context, masked } = line;
  return (
    line.v === 1 &&
    line.kind === 'decision' &&
    isMoment(line.time) &&
    typeof line.action === 'string' &&
    typeof line.resource === 'string' &&
    isEffect(line.effect) &&
    typeof line.enforced === 'boolean' &&
    reasons.has(reason) &&
    isSubject(subject) &&
    (isMissing(durationUs) || (Number.isFinite(durationUs) && (durationUs as number) >= 0)) &&
    (isMissing(because) || (Array.isArray(because) && because.every(isStatement))) &&
    texts.every((name) => isTextOrMissing(line[name])) &&
    (isMissing(revision) || isRevision(revision)) &&
    (isMissing(shadow) || isShadow(shadow)) &&
    (isMissing(context) || isObject(context)) &&
    (isMissing(masked) || isTexts(masked))
  );
}

/** True for a line that counts dropped decisions, as the schema reads it. */
export const isGap = (line: Readonly<Record<string, unknown>>): line is typeof line & GapLine =>
  line.v === 1 && line.kind === 'gap' && isMoment(line.time) && isCount(line.dropped);
