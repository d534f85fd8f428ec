import { momentPattern } from '../../base/lib/moment.js';
import { isObject } from '../../base/lib/values.js';
import type { DecisionReason } from '../decision-line/line.js';
import type { LineReading } from './line-reading.js';
import { hiddenDecision, platformDecision } from './platform-line.js';

/** The decision's text is the first of two keys `message`. A quote inside a value is escaped, so no value forges it. */
const messageKey = '"message":';

/** The reasons behind the texts of decisions. "Permission denied" also stands for an explicit Deny. */
const reasons: ReadonlyMap<string, DecisionReason> = new Map([
  ['Access Granted', 'allowed'],
  ['Superuser access', 'superuser'],
  ['Explicit deny', 'explicit-deny'],
]);

const isText = (value: unknown): value is string => typeof value === 'string';
const isList = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isFlat = (value: unknown): boolean => (Array.isArray(value) ? isList(value) : !isObject(value));

/** True for a line of the platform's JSON log. */
export const isPlatformJson = (line: Readonly<Record<string, unknown>>): boolean =>
  isText(line.level) && isText(line.message) && isText(line.time) && !Object.hasOwn(line, 'v');

/** Reads a line of the platform's JSON log. `line` is the parsed `text`; of two equal keys it has the last. */
export function readPlatformJson(text: string, line: Readonly<Record<string, unknown>>): LineReading {
  const { level, method, user, action, resource, roles, time, message } = line;
  const question = { time, user, groups: roles, action, resource };
  if (level === 'debug' || level === 'trace') return hiddenDecision('debug', question);
  // A denial by the management service itself has the question without roles.
  if (method !== 'Permissive.Evaluate') return hiddenDecision('event', question);
  if (level === 'warn') return hiddenDecision('failed', question);
  const start = text.indexOf(messageKey) + messageKey.length + 1;
  const first = text.slice(start, text.indexOf('"', start));
  if (first === 'Allowed by always plugin') return hiddenDecision('always', question);
  const granted = message === 'Access Granted';
  if (level !== 'info' || (!granted && message !== 'Access Denied')) return hiddenDecision('event', question);
  const invalid = (): LineReading => hiddenDecision('invalid', question);
  if (!isText(user) || !isText(action) || !isText(resource) || !isText(time) || !momentPattern.test(time))
    return invalid();
  // A nested object could hold a key `message` of its own.
  const groups = roles ?? [];
  for (const key in line) if (!isFlat(line[key])) return invalid();
  if (!isList(groups)) return invalid();
  const hasBoth = text.includes(messageKey, start);
  const reason = hasBoth ? reasons.get(first) : undefined;
  if (hasBoth && granted !== (reason === 'allowed' || reason === 'superuser')) return invalid();
  return platformDecision({ time, user, groups, action, resource, granted, reason });
}
