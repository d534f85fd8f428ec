import { redactBody, redactHeaders, redactQuery } from '../../secrets/redact.js';
import { redactText } from '../../secrets/redact-text.js';
import type { Exchange, MadeDecision } from '../wire/exchange.js';
import { type ShownHeaders, showHeaders } from './shown-headers.js';

/** One request that reached the mock. Credentials, passwords and tokens read `<redacted>`. */
export interface LoggedRequest {
  /** As it was sent. */
  readonly method: string;
  /** The path as it was sent, without its query. */
  readonly path: string;
  /** The query without its `?`. */
  readonly query: string;
  /** By lower-case name, or with `get` by any spelling of it; those that hold a secret read `<redacted>`. */
  readonly headers: ShownHeaders;
  /**
   * JSON where the body was JSON, else text; `undefined` when there was none. A long or binary body is only named by
   * its size.
   */
  readonly body: unknown;
  /** Who sent it or whom it was about, where the mock found out. */
  readonly user: string | undefined;
  /** The status of the answer; 0 when a fault dropped the connection. */
  readonly status: number;
  /** The decision that the answer tells or follows; of an evaluate-many the one for all items. */
  readonly decision: 'Allow' | 'Deny' | undefined;
  /**
   * Each decision that was made for it, in order: the items of an evaluate-many, the permission that a management call
   * needs.
   */
  readonly decisions: readonly MadeDecision[];
  /** What a custom route threw, where the answer is an opaque 500. */
  readonly thrown: unknown;
  /** The mock's time when it was answered. */
  readonly time: Date;
}

/** What a listener hears of an answered request: the fields that are redacted quickly. */
export type RequestSummary = Pick<LoggedRequest, 'method' | 'path' | 'status' | 'decision' | 'decisions'>;

const longestName = 256;

/** An action or a resource: names for people, which are cut where they are very long. */
function showName(text: string): string {
  const shown = redactText(text.slice(0, longestName + 1));
  return text.length > longestName ? `${shown.slice(0, longestName)}…` : shown;
}

function showDecisions({ decisions }: Exchange): MadeDecision[] {
  return decisions.map(({ action, resource, effect }) => ({
    action: showName(action),
    resource: showName(resource),
    effect,
  }));
}

/** What a listener hears of a request. */
export function summarize(exchange: Exchange, status: number): RequestSummary {
  const { request, decision } = exchange;
  return {
    method: request.method,
    path: redactText(request.path),
    status,
    decision,
    decisions: showDecisions(exchange),
  };
}

/** A request as the log shows it. */
export function describeRequest(exchange: Exchange, status: number, time: number): LoggedRequest {
  const { method, path, query, headers } = exchange.request;
  return {
    method,
    path: redactText(path),
    query: redactQuery(query),
    headers: showHeaders(redactHeaders(headers)),
    body: redactBody(exchange),
    user: exchange.user,
    status,
    decision: exchange.decision,
    decisions: showDecisions(exchange),
    thrown: exchange.thrown,
    time: new Date(time),
  };
}
