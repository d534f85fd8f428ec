import { isLongBody } from '../../base/secrets/redact.js';
import type { ReadableHeaders } from '../wire/http.js';
import { decodeBody, type Exchange } from '../wire/mock-exchange.js';
import { perObject, textBytes } from './memory.js';

/** An answered request, as the log holds it until it is read, without anything of the connection. */
export class Answered {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: ReadableHeaders;
  /** Undefined for a body that is too long for the log. */
  readonly body: string | Uint8Array | undefined;
  /** The length of the body, in bytes or characters. */
  readonly length: number;
  readonly user: string | undefined;
  readonly groups: Exchange['groups'];
  readonly status: number;
  readonly decision: Exchange['decision'];
  readonly decisions: Exchange['decisions'];
  readonly thrown: unknown;
  readonly claims: Exchange['claims'];
  /** The time of the answer, by the mock's clock. */
  readonly time: number;
  /** The estimated memory. */
  readonly bytes: number;

  constructor(exchange: Exchange, status: number, time: number) {
    const { request } = exchange;
    this.method = request.method;
    this.path = request.path;
    this.query = request.query;
    this.headers = request.headers;
    this.length = exchange.length;
    this.body = isLongBody(exchange.length) ? undefined : exchange.kept;
    this.user = exchange.user;
    this.groups = exchange.groups;
    this.status = status;
    this.decision = exchange.decision;
    this.decisions = exchange.decisions;
    this.thrown = exchange.thrown;
    this.claims = exchange.claims;
    this.time = time;
    this.bytes = estimate(this);
  }

  /** The body as text. Throws if it is not UTF-8. */
  get text(): string {
    return decodeBody(this.body);
  }
}

/** Estimates the memory of a request, with its headers and, if still kept, its body. */
function estimate({ path, query, headers, groups, decisions, body }: Omit<Answered, 'bytes'>): number {
  let bytes = 8 * perObject + textBytes(path) + textBytes(query);
  for (const [name, value] of headers.entries()) bytes += textBytes(name) + textBytes(value);
  for (const group of groups) bytes += textBytes(group);
  for (const { action, resource } of decisions) bytes += perObject + textBytes(action) + textBytes(resource);
  return bytes + (typeof body === 'string' ? textBytes(body) : (body?.byteLength ?? 0));
}
