import { optionsOf, type ReadersOf, readFlag } from '../../../base/lib/readers.js';
import type { OnDecision } from '../../../policy/decision-line/on-decision.js';
import type { LocalDecider } from '../../../policy/model/decider.js';
import { type ServiceCallOptions, serviceCallReaders } from '../service-client.js';

/** Options of an authorization client. */
export interface AuthorizationOptions {
  /** Batches the `evaluate` calls of one tick for the same subject into one request. Default false. */
  readonly batch?: boolean | undefined;
  /**
   * Decides for users in this process while it is live: a replica, or any other decider. Questions about tokens always
   * go to the service. Default none.
   */
  readonly replica?: LocalDecider | undefined;
  /**
   * The fallback while the replica is not live: the service decides (`remote`, the default), the replica decides from
   * its last data (`serve`), or the call rejects with ReplicaError, code `REPLICA` (`refuse`).
   */
  readonly whenNotLive?: 'remote' | 'serve' | 'refuse' | undefined;
  /**
   * Called with each decision of `authorization` on a question about permissions, such as `record` of a decision log;
   * `checkSelf` is not one. A guard or a PDP with an `onDecision` of its own tells that one instead. What it throws is
   * ignored. Default none.
   */
  readonly onDecision?: OnDecision | undefined;
  /** The default for `refresh` of {@link EvaluateOptions}: false. */
  readonly refresh?: boolean | undefined;
}

/** Options of a question about permissions. */
export interface EvaluateOptions extends ServiceCallOptions {
  /**
   * The service decides from what its permission service has now, rather than up to a second ago: a question that
   * follows a write sees it. It costs the service a complete copy of all policies. Older platforms ignore it, and so do
   * those behind a proxy that strips `Grpc-Metadata-*`. The replica of the client is not asked. Default: the client's.
   */
  readonly refresh?: boolean | undefined;
}

export const readEvaluateOptions = optionsOf({
  ...serviceCallReaders,
  refresh: readFlag,
} satisfies ReadersOf<EvaluateOptions>);

/** The gateway of the services forwards it without its prefix, and drops the plain name. */
export const refreshHeader = new Map([['grpc-metadata-x-arangodb-authorization-refresh', 'true']]);
