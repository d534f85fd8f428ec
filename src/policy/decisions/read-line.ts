import { isObject } from '../../base/lib/values.js';
import type { GapLine } from '../decision-line/gap-line.js';
import type { DecisionLine } from '../decision-line/line.js';
import { createLineSchema } from './line-schema.js';
import type { LogText } from './log-lines.js';
import { isPlainDecision } from './plain-line.js';
import { isPlatformJson, readPlatformJson } from './platform-json.js';
import { readPlatformPretty } from './platform-pretty.js';
import { withoutPrefix } from './prefix.js';
import type { LineReading } from './reading.js';

/** Whose lines are read; those of the other are foreign. */
export type LogOrigin = 'arango-services' | 'platform';

/** Creates the reader of lines from `origin`, or of both. */
export function createLineReader(origin: LogOrigin | undefined): (line: LogText) => LineReading {
  const schema = createLineSchema();

  const readOurs = (line: Readonly<Record<string, unknown>>): LineReading => {
    const { v, kind } = line;
    if (typeof v !== 'number' || typeof kind !== 'string') return 'foreign';
    if (v !== 1 || (kind !== 'decision' && kind !== 'gap')) return 'other-version';
    if (isPlainDecision(line)) return line;
    // The cast: the schema has the fields of both types.
    return schema.safeParse(line).success ? (line as unknown as DecisionLine | GapLine) : 'invalid';
  };

  const readJson = (text: string): LineReading => {
    let line: unknown;
    try {
      line = JSON.parse(text);
    } catch {
      return /^\{"(?:v|level)":/.test(text) ? 'incomplete' : 'foreign';
    }
    if (!isObject(line)) return 'foreign';
    if (isPlatformJson(line)) return origin === 'arango-services' ? 'foreign' : readPlatformJson(text, line);
    return origin === 'platform' ? 'foreign' : readOurs(line);
  };

  return ({ text: whole, ended }) => {
    if (whole === undefined) return 'too-long';
    if (whole.includes('\ufffd')) return 'not-utf8';
    const text = withoutPrefix(whole);
    if (text.startsWith('{')) return readJson(text);
    return (origin === 'arango-services' ? undefined : readPlatformPretty(text, ended)) ?? 'foreign';
  };
}
