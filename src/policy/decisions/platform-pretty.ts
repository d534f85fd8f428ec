import { momentPattern } from '../../base/lib/moment.js';
import { unquoteGo } from './go-quoted.js';
import { platformDecision } from './platform-line.js';
import type { LineReading } from './reading.js';

/** The beginning of any line: a time and a level. */
const beginning = /^(\S+) (TRC|DBG|INF|WRN|ERR|FTL|PNC) /;
const outcome = /^\S+ INF Access (Granted|Denied)(?= )/;
/** The keys of a decision, as the console writer sorts them. */
const keys = ['action', 'context', 'method', 'resource', 'roles', 'user'];
/** Collectors of logs cut longer lines, and a line that is cut in the last value looks complete. */
const longestWhole = 16_000;

/** Reads a line of the platform's pretty log; undefined for a line of another program. */
export function readPlatformPretty(text: string, ended: boolean): LineReading | undefined {
  const [, time = '', level] = beginning.exec(text) ?? [];
  if (!momentPattern.test(time)) return undefined;
  if (level === 'DBG' || level === 'TRC') return 'debug';
  if (level === 'WRN' && text.includes(' method=Permissive.Evaluate ')) return 'failed';
  const [decided, word] = outcome.exec(text) ?? [];
  if (decided === undefined) return 'event';
  if (!ended || text.length > longestWhole) return 'incomplete';

  const values = readValues(text, decided.length);
  if (values === undefined) return 'invalid';
  const [action = '', , method, resource = '', roles, user = ''] = values;
  const groups = readList(roles);
  if (method !== 'Permissive.Evaluate' || groups === undefined) return 'invalid';
  const [readAction, readResource, readUser] = [unquoteGo(action), unquoteGo(resource), unquoteGo(user)];
  if (readAction === undefined || readResource === undefined || readUser === undefined) return 'invalid';
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
