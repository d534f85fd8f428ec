import { describe, InvalidArgumentError } from '../errors.js';
import { matches } from './inspect.js';
import { json, type NeutralResponse } from './wire.js';

/** A scripted fault: which requests it meets, and what happens to them. */
export interface Fault {
  /** Any method by default. */
  readonly method?: string;
  /** The path, or the end of it (`'/evaluate'`), or a RegExp; any path by default. */
  readonly path?: string | RegExp;
  /** Answer with this status instead of asking the service. */
  readonly status?: number;
  /** The JSON body of that answer; by default the services' error form. */
  readonly body?: unknown;
  /** More headers of that answer, like `{ 'retry-after': '1' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Wait so many milliseconds of real time first; alone, the request is served after the wait. */
  readonly delayMs?: number;
  /** Close the connection without an answer: a network error. */
  readonly drop?: boolean;
  /** Make the next decision fail inside the service. */
  readonly evaluation?: boolean;
  /** How many requests it meets, 1 by default; `Infinity` until it is undone. */
  readonly times?: number;
}

interface Entry {
  readonly fault: Fault;
  left: number;
  used: boolean;
}

/** The faults of one mock, in the order in which they were scripted. */
export interface Faults {
  add(fault: Fault): () => void;
  /** Whether anything is left to happen; so that a mock without faults pays nothing. */
  active(): boolean;
  /** The fault that meets this request, taken once. */
  take(request: { method: string; path: string }): Fault | undefined;
  /** Whether the decision that is being made has to fail. */
  takeEvaluation(): boolean;
  assertUsed(): void;
  clear(): void;
}

const fields = new Set(['method', 'path', 'status', 'body', 'headers', 'delayMs', 'drop', 'evaluation', 'times']);

function check(fault: Fault): void {
  const refuse = (field: string, wanted: string, value: unknown): never => {
    throw new InvalidArgumentError(field, `expected ${wanted}, got ${describe(value)}`);
  };
  for (const name of Object.keys(fault)) {
    if (!fields.has(name)) refuse(name, `one of ${[...fields].join(', ')}`, 'an unknown field');
  }
  const { status, delayMs, times, drop, evaluation } = fault;
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599)) {
    refuse('status', 'a status from 200 to 599', status);
  }
  if (delayMs !== undefined && !(delayMs >= 0 && delayMs <= 2_147_483_647))
    refuse('delayMs', 'milliseconds ≥ 0', delayMs);
  if (times !== undefined && !(times === Number.POSITIVE_INFINITY || (Number.isInteger(times) && times > 0))) {
    refuse('times', 'a whole number above 0 or Infinity', times);
  }
  if (status === undefined && delayMs === undefined && drop !== true && evaluation !== true) {
    throw new InvalidArgumentError('fault', 'expected one of status, delayMs, drop or evaluation, or it does nothing');
  }
}

const name = ({ method = '*', path = '*' }: Fault): string => `${method} ${String(path)}`;

/** Makes an empty list of faults. */
export function createFaults(): Faults {
  let entries: Entry[] = [];
  const next = (wanted: (fault: Fault) => boolean): Fault | undefined => {
    const entry = entries.find((one) => one.left > 0 && wanted(one.fault));
    if (entry === undefined) return undefined;
    entry.left -= 1;
    entry.used = true;
    return entry.fault;
  };
  return {
    add(fault) {
      check(fault);
      const entry = { fault: { ...fault }, left: fault.times ?? 1, used: false };
      entries.push(entry);
      return () => {
        entries = entries.filter((one) => one !== entry);
      };
    },
    active: () => entries.length > 0,
    take: (request) => next((fault) => fault.evaluation !== true && matches(request, fault)),
    takeEvaluation: () => entries.length > 0 && next((fault) => fault.evaluation === true) !== undefined,
    assertUsed() {
      const idle = entries.filter((entry) => !entry.used);
      if (idle.length > 0) {
        throw new Error(`These faults never happened: ${idle.map((entry) => name(entry.fault)).join(', ')}`);
      }
    },
    clear() {
      entries = [];
    },
  };
}

/** The answer that a fault scripts, or undefined when it only delays. */
export function faultResponse({ drop, status, body, headers }: Fault): NeutralResponse | undefined {
  if (drop === true) return { status: 0, headers: [], drop: true };
  if (status === undefined) return undefined;
  const more = Object.entries(headers ?? {}).map(([key, value]): [string, string] => [key.toLowerCase(), value]);
  return json(body ?? { code: status === 503 ? 14 : 2, message: 'scripted fault', details: [] }, status, more);
}

/** Waits in real time; a signal ends the wait early. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
