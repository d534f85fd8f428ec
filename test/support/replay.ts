import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { listen } from '../../src/mock/adapters/node/index.js';
import type { Mock, MockConfig } from '../../src/mock/index.js';

/** One recorded exchange. */
interface Step {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string | readonly string[]>>;
    readonly body?: unknown;
    readonly raw?: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string | readonly string[]>>;
    readonly body?: unknown;
  };
  /** JSON pointers that are compared by kind only. */
  readonly volatile?: readonly string[];
  readonly capture?: Readonly<Record<string, string>>;
  readonly note?: string;
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

/** All vectors of a folder below `test/`. */
export function readVectors(folder: string): Vector[] {
  const base = new URL(`../${folder}/`, import.meta.url);
  return readdirSync(base)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(new URL(file, base), 'utf8')) as Vector);
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

type Json = Record<string, unknown>;

function at(value: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>(
    (v, key) => (v as Json | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    value,
  );
}

function fill<T>(value: T, captured: ReadonlyMap<string, string>): T {
  const text = JSON.stringify(value).replace(/\{\{(\w+)\}\}/g, (whole, key: string) => captured.get(key) ?? whole);
  return JSON.parse(text) as T;
}

/**
 * The comparable part of a volatile value: a token's claims without its times, a duration's seconds, else the type.
 */
function kind(value: unknown): unknown {
  if (typeof value !== 'string') return value === null ? 'null' : typeof value;
  const parts = value.split('.');
  if (parts.length === 3 && value.startsWith('ey')) {
    const { iat, exp, ...claims } = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString()) as Json;
    const lives = exp === undefined ? undefined : Math.round((Number(exp) - Number(iat ?? exp)) / 5);
    return { claims, lives };
  }
  return /^-?\d+(\.\d+)?s$/.test(value) ? { seconds: Number.parseFloat(value) } : 'string';
}

function alike(expected: unknown, actual: unknown): boolean {
  const [a, b] = [kind(expected), kind(actual)] as [{ seconds?: number }, { seconds?: number }];
  if (a.seconds !== undefined && b.seconds !== undefined) return Math.abs(a.seconds - b.seconds) <= 5;
  return isDeepStrictEqual(a, b);
}

/** A copy with normalized volatile values. */
function mask(value: unknown, pointers: readonly string[]): unknown {
  if (value === undefined) return undefined;
  const copy = structuredClone(value);
  for (const pointer of pointers) {
    const cut = pointer.lastIndexOf('/');
    const parent = at(copy, pointer.slice(0, cut)) as Json | undefined;
    const key = pointer.slice(cut + 1);
    if (parent && Object.hasOwn(parent, key)) parent[key] = '<volatile>';
  }
  return copy;
}

function headersOf(response: Response, expected: Step['response']['headers']): Json {
  return Object.fromEntries(
    Object.keys(expected ?? {}).map((name) => [
      name,
      name === 'set-cookie'
        ? response.headers.getSetCookie().map((cookie) => cookie.replace(/=ey[^;]*/, '=<token>'))
        : response.headers.get(name),
    ]),
  );
}

/**
 * Replays a vector and compares each response: status, body, the named headers, and the kind of volatile values.
 * Returns the number of exchanges that the adapter could carry.
 */
export async function replay(vector: Vector, send: Send): Promise<number> {
  const captured = new Map<string, string>();
  let count = 0;
  for (const [i, step] of vector.steps.entries()) {
    const { method, path, headers = {}, body, raw } = fill(step.request, captured);
    const list = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one as string]),
    );
    const sent = raw ?? (body === undefined ? null : JSON.stringify(body));
    const response = await send(path, { method, headers: list, body: sent, redirect: 'manual' });
    if (response === undefined) continue;
    count += 1;
    const text = await response.text();
    let actual: unknown;
    try {
      actual = text === '' ? undefined : JSON.parse(text);
    } catch {
      actual = text;
    }
    const expected = fill(step.response, captured);
    for (const [key, pointer] of Object.entries(step.capture ?? {})) captured.set(key, String(at(actual, pointer)));
    const volatile = step.volatile ?? [];
    const where = `${vector.name} step ${i + 1}: ${method} ${path} ${step.note ?? ''}`;
    expect({ where, status: response.status, body: mask(actual, volatile) }).toEqual({
      where,
      status: expected.status,
      body: mask(expected.body, volatile),
    });
    expect({ where, headers: headersOf(response, expected.headers) }).toEqual({
      where,
      headers: expected.headers ?? {},
    });
    for (const pointer of volatile) {
      const [a, b] = [at(expected.body, pointer), at(actual, pointer)];
      if (!alike(a, b)) expect({ where, pointer, value: b }).toEqual({ where, pointer, value: a });
    }
  }
  return count;
}
