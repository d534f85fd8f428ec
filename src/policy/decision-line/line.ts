import type { Effect, ExplainedReason } from '../index.js';

/** The reason of a decision, in the words of `explain`; `failed` where no decision could be made. */
export type DecisionReason = ExplainedReason | 'failed';

/** The user or service that a decision is about. Without user and hash it is the superuser. */
export interface DecisionSubject {
  /** The user's name. */
  readonly user?: string | undefined;
  /** A keyed hash instead of the name. */
  readonly userHash?: string | undefined;
  /** The groups of the token, or the roles that the request named. */
  readonly groups?: readonly string[] | undefined;
}

/** The statement behind a decision. */
export interface DecisionStatement {
  /** The role that was considered. */
  readonly role: string;
  /** The policy's name; left out for a statement of the scope. */
  readonly policy?: string | undefined;
  /** The index of the statement in the policy, from 0. */
  readonly statement: number;
}

/** The versions of the permissions that a decision was made with, as the management service counts them. */
export interface DecisionRevision {
  /** The index of the last change of a policy. */
  readonly policies: number;
  /** The index of the last change of a role. */
  readonly roles: number;
  /** The index of the last change of a binding. */
  readonly bindings: number;
}

/** The answer of a second decider to the same question; it never has an effect. */
export interface ShadowDecision {
  /** The effect of the decision. */
  readonly effect: Effect;
  /** The reason of the decision, if it gives one. */
  readonly reason?: DecisionReason | undefined;
  /** The decider, such as `replica`. */
  readonly source?: string | undefined;
}

/** One decision, as a line of a decision log holds it. Fields that a newer version adds are kept. */
export interface DecisionLine {
  /** The version of the line's format. */
  readonly v: 1;
  /** The kind of line. */
  readonly kind: 'decision';
  /** The time of the decision (RFC 3339). */
  readonly time: string;
  /** The decision's own id. */
  readonly decisionId?: string | undefined;
  /** The trace of the request, as `traceparent` has it. */
  readonly traceId?: string | undefined;
  /** The span of the request, as `traceparent` has it. */
  readonly spanId?: string | undefined;
  /** The request's `x-request-id`. */
  readonly requestId?: string | undefined;
  /** The service that asked. */
  readonly service?: string | undefined;
  /** The operation that was asked for, such as `getOrder`. */
  readonly operation?: string | undefined;
  /** The user or service that the decision is about. */
  readonly subject: DecisionSubject;
  /** The action, such as `orders:read`. */
  readonly action: string;
  /** The resource, such as `orders:eu:7`; may be empty. */
  readonly resource: string;
  /** The effect of the evaluation. With `enforced: false` the caller was let through whatever it is. */
  readonly effect: Effect;
  /** The reason; left out where the log does not say it. */
  readonly reason?: DecisionReason | undefined;
  /** False where the caller was let through whatever the effect is: under `central-permissive`. */
  readonly enforced: boolean;
  /** The decider, such as `service`, `replica` or `pdp`. */
  readonly source?: string | undefined;
  /** The versions of the permissions. */
  readonly revision?: DecisionRevision | undefined;
  /** The statements behind the decision. */
  readonly because?: readonly DecisionStatement[] | undefined;
  /** The duration of the decision, in microseconds. */
  readonly durationUs?: number | undefined;
  /** The answer of a second decider. */
  readonly shadow?: ShadowDecision | undefined;
  /** The context of the request, where the log was told to include it. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** JSON pointers to the fields that were left out. */
  readonly masked?: readonly string[] | undefined;
}
