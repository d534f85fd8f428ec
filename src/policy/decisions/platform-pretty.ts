import { momentPattern } from '../../base/lib/moment.js';
import { unquoteGo } from './go-quoted.js';
import type { LineReading, SkipReason } from './line-reading.js';
import { hiddenDecision, platformDecision } from './platform-line.js';

/** The beginning of any line: a time and a level. */
const beginning = /^(\S+) (TRC|DBG|INF|WRN|ERR|FTL|PNC) /;
/** A beginning that breaks off, in the level or in the time. */
const cutBeginning = /^\d{4}-\d\d-\d\dT[\d:.]*(?:(?:Z|[+-]\d\d:\d\d)(?: [A-Z]{0,3})?)?$/;
const outcome = /^\S+ INF Access (Granted|Denied)(?= )/;
/** The keys of a decision, as the console writer sorts them. */
const keys = ['action', 'context', 'method', 'resource', 'roles', 'user'];
/** Collectors of logs cut longer lines, and a line that is cut in the last value looks complete. */
const longestWhole = 16_000;

/** Reads a line of the platform's pretty log; undefined for a line of another program. */
export function readPlatformPretty(text: string, ended: boolean): LineReading | undefined {
  const [, time = '', level] = beginning.exec(text) ?? [];
  if (!momentPattern.test(time)) return !ended && cutBeginning.test(text) ? 'incomplete' : undefined;
  if (!ended) return 'incomplete';
  const isWhole = text.length <= longestWhole;
  const hidden = (reason: SkipReason) => (isWhole ? readHidden(reason, text, time) : reason);
  if (level === 'DBG' || level === 'TRC') return hidden('debug');
  if (level === 'WRN' && text.includes(' method=Permissive.Evaluate ')) return hidden('failed');
  const [decided, word] = outcome.exec(text) ?? [];
  // A denial by the management service itself has the question without roles.
  if (decided === undefined) return hidden('event');
  if (!isWhole) return 'incomplete';

  const values = readValues(text, decided.length);
  if (values === undefined) return hidden('invalid');
  const [action = '', , method, resource = '', roles, user = ''] = values;
  const groups = readList(roles);
  if (method !== 'Permissive.Evaluate' || groups === undefined) return hidden('invalid');
  const [readAction, readResource, readUser] = [unquoteGo(action), unquoteGo(resource), unquoteGo(user)];
  if (readAction === undefined || readResource === undefined || readUser === undefined) return hidden('invalid');
  const question = { user: readUser, groups, action: readAction, resource: readResource };
  return platformDecision({ time, ...question, granted: word === 'Granted', reason: undefined });
}

/** The values of the keys, quoted as they are; undefined if there is anything else. */
function readValues(text: string, start: number): readonly string[] | undefined {
  const values: string[] = [];
  let at = start;
  for (const key of keys) {
    if (!text.startsWith(` ${key}=`, at)) return undefined;
    at += key.length + 2;
    const end = endOfValue(text, at);
    if (end === undefined) return undefined;
    values.push(text.slice(at, end));
    at = end;
  }
  return at === text.length ? values : undefined;
}

/** Reads the question of a line that does not tell what was decided; only the reason if it holds none. */
function readHidden(reason: SkipReason, text: string, time: string): LineReading {
  const values = new Map<string, string>();
  // The message, which names no value, ends before the first key.
  for (let at = text.lastIndexOf(' ', text.indexOf('=')); at < text.length; ) {
    const value = text.indexOf('=', at) + 1;
    const end = value === 0 || text[at] !== ' ' ? undefined : endOfValue(text, value);
    if (end === undefined) return reason;
    values.set(text.slice(at + 1, value - 1), text.slice(value, end));
    at = end;
  }
  const [user, action, resource] = ['user', 'action', 'resource'].map((key) => unquoteGo(values.get(key) ?? '""'));
  const isAsked = values.has('action') && values.has('resource');
  return isAsked
    ? hiddenDecision(reason, { time, user, groups: readList(values.get('roles')), action, resource })
    : reason;
}

/**
 * The end of a value: before a space or the end of the line. Values with a space, a quote, a backslash or a character
 * beyond ASCII are quoted, so no value forges a field.
 */
function endOfValue(text: string, start: number): number | undefined {
  const isEnd = (at: number | undefined): at is number => at === text.length || (at !== undefined && text[at] === ' ');
  if (text[start] === '"') {
    const end = endOfQuoted(text, start);
    return isEnd(end) ? end : undefined;
  }
  const list = text[start] === '[' ? endOfList(text, start) : undefined;
  if (isEnd(list)) return list;
  let at = start;
  while (isBare(text.charCodeAt(at))) at += 1;
  return isEnd(at) ? at : undefined;
}

/** True for a character of a value without quotes; false for NaN, the code past the end. */
const isBare = (code: number): boolean => code > 0x20 && code < 0x7f && code !== 0x22 && code !== 0x5c;

/** The end of a text in quotes; undefined if it has none. */
function endOfQuoted(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at] === '\\') at += 1;
  }
  return undefined;
}

/** The end of a list of texts in quotes; undefined for anything else. */
function endOfList(text: string, start: number): number | undefined {
  let at: number | undefined = start + 1;
  while (at !== undefined && text[at] === '"') {
    at = endOfQuoted(text, at);
    if (at !== undefined && text[at] === ',') at += 1;
  }
  return at !== undefined && text[at] === ']' ? at + 1 : undefined;
}

/** Reads a list of texts in JSON; undefined for anything else. */
function readList(text = ''): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    if (list === null) return [];
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}
