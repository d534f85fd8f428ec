import { claimsOf } from '../../base/jwt/token-text.js';
import { stableJson } from '../../base/lib/stable-json.js';
import { isObject } from '../../base/lib/values.js';
import { pointerOf, type QuestionAnswer } from './question-exchange.js';

/** A part of an answer that differs. */
export interface PartDifference {
  /** `status`, `header <name>`, or the JSON pointer of a value in the body; empty for the body itself. */
  readonly at: string;
  /** Undefined if there is no such part. */
  readonly expected: unknown;
  readonly observed: unknown;
}

/** The maximum number of differing parts of an answer that are reported. */
const mostParts = 50;

/** Durations and times may differ by this: the two were not asked at the same moment. */
const toleranceSeconds = 5;

const duration = /^-?\d+(\.\d+)?s$/;

/** True if a text looks like a token whose claims can be read. */
const isToken = (text: string): boolean => text.startsWith('ey') && text.split('.').length === 3;

/** A token's claims without its times, and its lifetime. */
function describeToken(token: string): unknown {
  const { iat, exp, ...rest } = claimsOf(token);
  const lives = exp === undefined ? undefined : Math.round((Number(exp) - Number(iat ?? exp)) / toleranceSeconds);
  return { claims: rest, lives };
}

/** The comparable part of a volatile value: a token's claims, a duration's seconds, else the type. */
function kindOf(value: unknown): unknown {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
  if (isToken(value)) {
    try {
      return describeToken(value);
    } catch {
      return 'string';
    }
  }
  return duration.test(value) ? { seconds: Number.parseFloat(value) } : 'string';
}

function alike(expected: unknown, observed: unknown): boolean {
  const [a, b] = [kindOf(expected), kindOf(observed)];
  const seconds = (kind: unknown) => (isObject(kind) && typeof kind.seconds === 'number' ? kind.seconds : undefined);
  const [first, second] = [seconds(a), seconds(b)];
  if (first !== undefined && second !== undefined) return Math.abs(first - second) <= toleranceSeconds;
  return stableJson(a) === stableJson(b);
}

const isSame = (a: unknown, b: unknown): boolean => a === b || stableJson(a) === stableJson(b);

/** Finds the smallest parts of two values that differ. */
function* differing(
  expected: unknown,
  observed: unknown,
  at: string,
  volatile: ReadonlySet<string>,
): Generator<PartDifference> {
  if (volatile.has(at)) {
    if (!alike(expected, observed)) yield { at, expected: kindOf(expected), observed: kindOf(observed) };
  } else if (isObject(expected) && isObject(observed)) {
    for (const key in expected) yield* differing(expected[key], own(observed, key), pointerOf(at, key), volatile);
    // Lazily: an answer may have very many fields, of which few are shown.
    for (const key in observed) {
      if (!Object.hasOwn(expected, key)) yield* differing(undefined, observed[key], pointerOf(at, key), volatile);
    }
  } else if (Array.isArray(expected) && Array.isArray(observed) && expected.length === observed.length) {
    for (const [index, item] of expected.entries()) {
      yield* differing(item, observed[index], pointerOf(at, index), volatile);
    }
    // Of other kinds, or of other lengths.
  } else if (expected !== observed) yield { at, expected, observed };
}

const own = (value: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined;

/** Hides the tokens of cookies, which differ at each run. */
const readHeader = (name: string, value: unknown): unknown =>
  name === 'set-cookie' ? [value ?? []].flat().map((cookie) => String(cookie).replace(/=ey[^;]*/, '=<token>')) : value;

/**
 * Compares two answers: status, the headers that the expected one names, and the body. Values at the `volatile` JSON
 * pointers are compared by kind only.
 */
export function compareAnswers(
  expected: QuestionAnswer,
  observed: QuestionAnswer,
  volatile: readonly string[] = [],
): PartDifference[] {
  const differences: PartDifference[] = [];
  if (expected.status !== observed.status) {
    differences.push({ at: 'status', expected: expected.status, observed: observed.status });
  }
  for (const name of Object.keys(expected.headers ?? {})) {
    const [a, b] = [expected, observed].map(({ headers }) => readHeader(name, headers?.[name] ?? null));
    if (!isSame(a, b)) differences.push({ at: `header ${name}`, expected: a, observed: b });
  }
  for (const part of differing(expected.body, observed.body, '', new Set(volatile))) {
    differences.push(part);
    if (differences.length >= mostParts) break;
  }
  return differences;
}
