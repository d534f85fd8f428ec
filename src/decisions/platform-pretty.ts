import { momentPattern } from '../lib/moment.js';
import { unquoteGo } from './go-quoted.js';
import { platformDecision } from './platform-line.js';
import type { LineReading } from './reading.js';

/** The begin of any line: a time and a level. */
const beginning = /^(\S+) (TRC|DBG|INF|WRN|ERR|FTL|PNC) /;
const outcome = /^\S+ INF Access (Granted|Denied)(?= )/;
/**
 * A key and its value. Values with a space, a quote, a backslash or a character beyond ASCII are quoted, so no value
 * forges a field.
 */
const field = / (\w+)=("(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\]|[!#-[\]-~]*)(?= |$)/gy;
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

  const values = readValues(text.slice(decided.length));
  if (values === undefined) return 'invalid';
  const [action, , method, resource, roles, user] = values;
  const groups = readList(roles);
  if (method !== 'Permissive.Evaluate' || groups === undefined) return 'invalid';
  const names = [action, resource, user].map((name = '') => unquoteGo(name));
  const [readAction, readResource, readUser] = names;
  if (readAction === undefined || readResource === undefined || readUser === undefined) return 'invalid';
  const fields = { user: readUser, groups, action: readAction, resource: readResource };
  return platformDecision({ time, ...fields, granted: word === 'Granted', reason: undefined });
}

/** The values of the keys, quoted as they are; undefined if there is anything else. */
function readValues(text: string): readonly string[] | undefined {
  const fields = [...text.matchAll(field)];
  const isWhole = fields.reduce((length, [whole]) => length + whole.length, 0) === text.length;
  if (!isWhole || fields.map(([, key]) => key).join() !== keys.join()) return undefined;
  return fields.map(([, , value = '']) => value);
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
