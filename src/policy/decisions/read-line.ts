import { isObject } from '../../base/lib/values.js';
import type { GapLine } from '../decision-line/gap-line.js';
import type { DecisionLine } from '../decision-line/line.js';
import { hasKeyTwice } from './key-twice.js';
import type { LineReading, SkipReason } from './line-reading.js';
import { createLineSchema } from './line-schema.js';
import type { LogText } from './log-lines.js';
import { isPlainDecision } from './plain-line.js';
import { isPlatformJson, readPlatformJson } from './platform-json.js';
import { hiddenDecision } from './platform-line.js';
import { readPlatformPretty } from './platform-pretty.js';
import { withoutPrefix } from './prefix.js';

/** Whose lines are read; those of the other are foreign. */
export type LogOrigin = 'arango-services' | 'platform';

/** The beginnings of lines in JSON. */
const beginnings = ['{"v":', '{"level":'];

/** Creates the reader of lines from `origin`, or of both. */
export function createLineReader(origin: LogOrigin | undefined): (line: LogText) => LineReading {
  const schema = createLineSchema();

  const readOurs = (line: Readonly<Record<string, unknown>>): LineReading => {
    const { v, kind } = line;
    if (typeof v !== 'number' || typeof kind !== 'string') return 'foreign';
    const hidden = (reason: SkipReason): LineReading => {
      const { time, subject, action, resource } = line;
      const { user, groups } = isObject(subject) ? subject : {};
      return hiddenDecision(reason, { time, user, groups, action, resource });
    };
    if (v !== 1 || (kind !== 'decision' && kind !== 'gap')) return hidden('other-version');
    if (isPlainDecision(line)) return line;
    // The cast: the schema has the fields of both types.
    return schema.safeParse(line).success ? (line as unknown as DecisionLine | GapLine) : hidden('invalid');
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
