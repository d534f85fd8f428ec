import { isObject } from '../../base/lib/values.js';
import type { TokenReport, TokenTime } from '../api.js';

/** The answer of a platform about a token. */
export interface TokenJudgement {
  readonly valid: boolean;
  readonly why: string | null;
  readonly user: string | undefined;
  readonly groups: readonly string[];
}

type Fields = readonly (readonly [name: string, value: unknown])[];

/** The fields of the header or of the claims; an empty list if they cannot be decoded. */
function readPart(part: string): Fields {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(value) ? Object.entries(value) : [];
  } catch {
    return [];
  }
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A distance in time, rounded down to one unit: `in 9 minutes`, `3 hours ago`, `now`. */
function timeWords(ms: number): string {
  const seconds = Math.trunc(Math.abs(ms) / 1_000);
  const [name, size] = units.find(([, length]) => seconds >= length) ?? units[3];
  const count = Math.floor(seconds / size);
  if (count === 0) return 'now';
  const text = `${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`;
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

function timesOf(claims: Fields, nowMs: number): readonly TokenTime[] {
  return (['exp', 'nbf', 'iat'] as const).flatMap((claim) => {
    const value = claims.find(([name]) => name === claim)?.[1];
    // Within the range of Date.
    if (typeof value !== 'number' || !(Math.abs(value) <= 8.64e12)) return [];
    const ms = Math.trunc(value) * 1_000;
    return [{ claim, time: new Date(ms).toISOString(), words: timeWords(ms - nowMs) }];
  });
}

const asJson = (fields: Fields): (readonly [string, string])[] =>
  fields.map(([name, value]) => [name, JSON.stringify(value)]);

/** Describes a token: its unverified content, and the platform's verdict on it. */
export function reportToken(text: string, judgement: TokenJudgement, nowMs: number): TokenReport {
  const [head = '', body = ''] = text.split('.', 3);
  const claims = readPart(body);
  const { valid, why, user, groups } = judgement;
  return {
    valid,
    why: valid ? null : why,
    user: user ?? null,
    groups: [...groups],
    superuser: valid && user === undefined,
    header: asJson(readPart(head)),
    claims: asJson(claims),
    times: timesOf(claims, nowMs),
  };
}
