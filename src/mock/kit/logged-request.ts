import { longestToken } from '../../base/lib/readers.js';
import { redactBody, redactHeaders, redactQuery, redactText, redactValue } from '../../base/secrets/redact.js';
import type { Exchange, RequestDecision } from '../wire/mock-exchange.js';
import type { Answered } from './answered.js';
import { type ShownHeaders, showHeaders } from './shown-headers.js';

/** One request that reached the mock. Credentials, passwords and tokens read `<redacted>`. */
export interface LoggedRequest {
  /** The method as it was sent. */
  readonly method: string;
  /** The path as it was sent, without its query. */
  readonly path: string;
  /** The query without its `?`. */
  readonly query: string;
  /** Headers by lower-case name; `get` takes any case. Secret values read `<redacted>`. */
  readonly headers: ShownHeaders;
  /**
   * The parsed value if the body was JSON, else text; `undefined` without a body. Of a long or binary body, only the
   * size is given.
   */
  readonly body: unknown;
  /** The user who sent it or whom it was about, if known. */
  readonly user: string | undefined;
  /** The groups of the token, or the roles that the question named; the first 100 of them. */
  readonly groups: readonly string[];
  /** The status of the answer; 0 if a fault dropped the connection. */
  readonly status: number;
  /** The decision that the answer reports or follows from; for evaluate-many, the one for all items. */
  readonly decision: 'Allow' | 'Deny' | undefined;
  /**
   * The decisions made for the request, in order: the items of an evaluate-many, or the permission that a management
   * call needs.
   */
  readonly decisions: readonly RequestDecision[];
  /** The error that a custom route threw, if the answer is an opaque 500. */
  readonly thrown: unknown;
  /** The time of the answer, by the mock's clock. */
  readonly time: Date;
  /**
   * The claims of its bearer token, if a key of this mock signed it: also of an expired or revoked one, never of
   * another deployment's. Not enumerable: JSON, copies and comparisons of a request leave it out.
   */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
}

/** The fields that listeners get: those that are quick to redact. */
export type RequestSummary = Pick<LoggedRequest, 'method' | 'path' | 'status' | 'decision' | 'decisions'>;

const longestName = 256;
const mostGroups = 100;

/** Redacts a group, an action or a resource, and truncates it if it is very long. */
function showName(text: string): string {
  // A token is recognized only as a whole.
  const name = redactText(text.slice(0, longestName + longestToken));
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}

function showDecisions({ decisions }: Pick<Exchange, 'decisions'>): RequestDecision[] {
  return decisions.map(({ action, resource, effect }) => {
    return { action: showName(action), resource: showName(resource), effect };
  });
}

/** Summarizes a request for listeners. */
export function summarize(exchange: Exchange, status: number): RequestSummary {
  const { request, decision } = exchange;
  const decisions = showDecisions(exchange);
  return { method: request.method, path: redactText(request.path), status, decision, decisions };
}

/** Describes a request for the log. */
export function describeRequest(answered: Answered): LoggedRequest {
  const { method, path, query, headers, user, groups, status, decision, thrown, time, claims } = answered;
  const request = {
    method,
    path: redactText(path),
    query: redactQuery(query),
    headers: showHeaders(redactHeaders(headers)),
    body: redactBody(answered),
    user,
    groups: groups.slice(0, mostGroups).map(showName),
    status,
    decision,
    decisions: showDecisions(answered),
    thrown,
    time: new Date(time),
  };
  const value = claims && redactValue(Object.fromEntries(claims));
  // The cast: the field is an object or undefined.
  return Object.defineProperty(request, 'claims', { value }) as typeof request & Pick<LoggedRequest, 'claims'>;
}
