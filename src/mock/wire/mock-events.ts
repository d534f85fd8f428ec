import type { Decision } from '../../policy/index.js';
import type { AuthorizationType } from '../../policy/model/authorization-type.js';
import type { NeutralResponse } from './http.js';
import type { Exchange } from './mock-exchange.js';

/** The subject of a question, as requests and tokens name it. Without a user it may be the superuser. */
export type RequestSubject = { readonly user: string | undefined; readonly roles: readonly string[] };

/** The question: may this subject do `action` on `resource`? */
export interface PermissionQuestion {
  readonly subject: RequestSubject;
  readonly action: string;
  readonly resource: string;
  /** The context as it was sent; decisions ignore it. */
  readonly context?: unknown;
  /** The API that asks. They differ in who is the superuser and in the effect of an invalid policy. */
  readonly api: 'evaluation' | 'management';
}

/** A decision that was made, or failed. */
export interface DecidedEvent {
  readonly kind: 'decided';
  readonly question: PermissionQuestion;
  /** The authorization type that decided: that of the mock's settings, or `central` for the policies alone. */
  readonly type: AuthorizationType;
  /** The decision of the policies; undefined if they were not asked, or the evaluation failed. */
  readonly evaluated?: Decision;
  /** The error of a failed evaluation. */
  readonly failure?: unknown;
  /** The answer; undefined if it is an error. */
  readonly answer?: Decision;
}

/** The answer to a request, before it is sent. */
export type EndedEvent = { readonly kind: 'ended'; readonly response: NeutralResponse };

/** One item of a question. */
export interface AskedItem {
  readonly action: string;
  readonly resource: string;
  /** The context as it was sent; undefined or null if there is none. Decisions ignore it. */
  readonly context?: unknown;
}

/** An event of the services, for logs. */
export type ServiceEvent = DecidedEvent | EndedEvent;

/** Takes the events of the services as they happen. It must not throw. */
export type Watcher = (event: ServiceEvent, exchange: Exchange) => void;

/** Calls the watchers with an event. */
export function callWatchers(
  { watchers }: { readonly watchers: Iterable<Watcher> },
  exchange: Exchange,
  event: ServiceEvent,
): void {
  for (const watch of watchers) watch(event, exchange);
}
