import { findTwice } from '../../base/lib/json-file.js';
import { isObject } from '../../base/lib/values.js';
import type { LineReading, SkipReason } from './line-reading.js';
import type { LogText } from './log-lines.js';
import { isPlatformJson, readPlatformJson } from './platform-json.js';
import { hiddenDecision } from './platform-line.js';
import { readPlatformPretty } from './platform-pretty.js';
import { isDecision, isGap } from './valid-line.js';

const message = '"message":';

const countOf = (value: unknown): number => (isObject(value) ? Object.keys(value).length : 0);

/**
 * True if an object in a line has a key twice: `JSON.parse` would silently keep the last value only. The platform's
 * lines may have `message` twice. A line with as many keys in its text as in its fields needs no search.
 */
function hasKeyTwice(text: string, line: Readonly<Record<string, unknown>>, isPlatform: boolean): boolean {
  let [inText, at] = [0, text.indexOf('":')];
  for (; at >= 0; at = text.indexOf('":', at + 2)) inText += 1;
  const isExtra = isPlatform && text.includes(message, text.indexOf(message) + 1);
  const { subject, because } = line;
  let count = countOf(line) + countOf(subject) + (isExtra ? 1 : 0);
  if (Array.isArray(because)) for (const reason of because) count += countOf(reason);
  if (inText === count && !text.includes('" :')) return false;
  return findTwice(text, isPlatform ? 'message' : undefined) !== undefined;
}

/** The text that `kubectl logs --prefix` and `docker compose logs` write before a line. */
const origin = /^(?:\[pod\/[^\]\s]+\] |[\w.-]+ +\| )/;
/** The time that both write with `--timestamps`. A pretty line begins with a time of its own. */
const timestamp = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?=\{|\d{4}-\d\d-\d\dT)/;

/** Removes the text that tools write before a line when they collect logs, and the mark of a file that was appended. */
function withoutPrefix(whole: string): string {
  const line = whole.startsWith('\ufeff') ? whole.slice(1) : whole;
  if (line.startsWith('{')) return line;
  return line.replace(origin, '').replace(timestamp, '');
}

/** The program whose lines are read; lines of the other program are foreign. */
export type LogOrigin = 'arango-services' | 'platform';

/** The beginnings of lines in JSON. */
const beginnings = ['{"v":', '{"level":'];

/** Creates the reader of lines from `origin`, or of both. */
export function createLineReader(origin: LogOrigin | undefined): (line: LogText) => LineReading {
  const readOurs = (line: Readonly<Record<string, unknown>>): LineReading => {
    const { v, kind } = line;
    if (typeof v !== 'number' || typeof kind !== 'string') return 'foreign';
    const hidden = (reason: SkipReason): LineReading => {
      const { time, subject, action, resource } = line;
      const { user, groups } = isObject(subject) ? subject : {};
      return hiddenDecision(reason, { time, user, groups, action, resource });
    };
    if (v !== 1 || (kind !== 'decision' && kind !== 'gap')) return hidden('other-version');
    return isDecision(line) || isGap(line) ? line : hidden('invalid');
  };

  const readJson = (text: string, ended: boolean): LineReading => {
    let line: unknown;
    try {
      line = JSON.parse(text);
    } catch {
      const isOurs = beginnings.some((begin) => text.startsWith(begin) || (!ended && begin.startsWith(text)));
      return isOurs ? 'incomplete' : 'foreign';
    }
    if (!isObject(line)) return 'foreign';
    const isPlatform = isPlatformJson(line);
    if (origin === (isPlatform ? 'arango-services' : 'platform')) return 'foreign';
    const reading = isPlatform ? readPlatformJson(text, line) : readOurs(line);
    return reading !== 'foreign' && hasKeyTwice(text, line, isPlatform) ? 'invalid' : reading;
  };

  return ({ text: whole, ended }) => {
    if (whole === undefined) return 'too-long';
    if (whole.includes('\ufffd')) return 'not-utf8';
    const text = withoutPrefix(whole);
    if (text.startsWith('{')) return readJson(text, ended);
    return (origin === 'arango-services' ? undefined : readPlatformPretty(text, ended)) ?? 'foreign';
  };
}
