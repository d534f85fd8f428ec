import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { listen } from '../../src/console/mock/node.js';
import type { Mock, MockConfig } from '../../src/mock/index.js';
import { compareAnswers } from '../../src/tools/conformance/compare-answers.js';
import {
  bodyText,
  fill,
  headerPairs,
  parseBody,
  type QuestionStep as Question,
  type QuestionAnswer,
  type QuestionRequest,
  valueAt,
} from '../../src/tools/conformance/question-exchange.js';

/** One recorded exchange. */
interface Step extends Question {
  readonly response: QuestionAnswer;
}

/** A scenario: a configuration and the exchanges with it. */
export interface Vector {
  readonly name: string;
  readonly at: string;
  readonly config: MockConfig;
  readonly steps: readonly Step[];
}

/** Sends a request through one of the mock's adapters; undefined if it cannot carry the path. */
export type Send = (path: string, init: RequestInit) => Promise<Response | undefined>;

/** True for a path that a URL holds unchanged, unlike `/a/%2e%2e/b`. */
const isUrlPath = (path: string): boolean => {
  const { pathname, search } = new URL(path, 'http://mock.test');
  return pathname + search === path;
};

/** Writes repeated texts out: `«[×3»` stands for `[[[`. */
const writeOut = (json: string): string =>
  json.replace(/«(.+?)×(\d+)»/g, (_, text: string, times: string) => text.repeat(Number(times)));

/** All vectors of a folder below `test/`. */
export function readVectors(folder: string): Vector[] {
  const base = new URL(`../${folder}/`, import.meta.url);
  return readdirSync(base)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(writeOut(readFileSync(new URL(file, base), 'utf8'))) as Vector);
}

/** Through `mock.fetch`. */
export const throughFetch = (mock: Mock): Send => {
  return async (path, init) => (isUrlPath(path) ? mock.fetch(`http://mock.test${path}`, init) : undefined);
};

/** Through a new port, which is closed with the mock. Some recorded requests name the origin of a page. */
export async function throughPort(mock: Mock): Promise<Send> {
  const { url } = await listen(mock, { cors: ['https://other.test'] });
  return (path, init) => (isUrlPath(path) ? fetch(url + path, init) : sendRaw(url, path, init));
}

/** Sends the path to the port as it is. */
async function sendRaw(url: string, path: string, { method, headers, body }: RequestInit): Promise<Response> {
  const call = request(url, { method, path, headers: Object.fromEntries(new Headers(headers)) });
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const { statusCode: status = 0, headers: sent } = response;
  return new Response(await buffer(response), { status, headers: sent as Record<string, string> });
}

const headersOf = (
  response: Response,
  expected: Step['response']['headers'] = {},
): NonNullable<QuestionAnswer['headers']> =>
  Object.fromEntries(
    Object.keys(expected).map((name) => [
      name,
      name === 'set-cookie' ? response.headers.getSetCookie() : response.headers.get(name),
    ]),
  );

/** Asks through an adapter; undefined if it cannot carry the path. */
export async function observe(
  send: Send,
  request: QuestionRequest,
  expected: QuestionAnswer['headers'],
): Promise<QuestionAnswer | undefined> {
  const { method, path } = request;
  const init = { method, headers: headerPairs(request), body: bodyText(request) ?? null, redirect: 'manual' } as const;
  const response = await send(path, init);
  if (response === undefined) return undefined;
  return { status: response.status, headers: headersOf(response, expected), body: parseBody(await response.text()) };
}

/**
 * Replays a vector and compares each response: status, body, the named headers, and the kind of volatile values.
 * Returns the number of exchanges that the adapter could carry.
 */
export async function replay(vector: Vector, send: Send): Promise<number> {
  const captured = new Map<string, string>();
  let count = 0;
  for (const [i, step] of vector.steps.entries()) {
    const request = fill(step.request, captured);
    const expected = fill(step.response, captured);
    const observed = await observe(send, request, expected.headers);
    if (observed === undefined) continue;
    count += 1;
    const { body } = observed;
    for (const [key, pointer] of Object.entries(step.capture ?? {})) captured.set(key, String(valueAt(body, pointer)));
    const { method, path } = request;
    const where = `${vector.name} step ${i + 1}: ${method} ${path} ${step.note ?? ''}`;
    expect({ where, differences: compareAnswers(expected, observed, step.volatile) }).toEqual({
      where,
      differences: [],
    });
  }
  return count;
}
