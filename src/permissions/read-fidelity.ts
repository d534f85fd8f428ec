import { isHttpError, isParseError } from '../base/error-guards.js';
import { isObject } from '../base/lib/values.js';
import { race } from '../base/lib/wait.js';
import type { Fidelity } from '../policy/index.js';
import { fidelityIn } from './access/answer-rules.js';

/** The part of a client that asks a deployment for its version. */
export interface VersionClient {
  /** Returns a route below the URL of the deployment. */
  absoluteRoute?(path: string): VersionRoute;
}

/** A route that reads the version of a deployment. */
export interface VersionRoute {
  /** Sends a GET request, and resolves with the body of its answer. */
  get(path: string, query: { readonly details: boolean }): Promise<{ readonly body: unknown }>;
}

/**
 * Reads the fidelity of a deployment: a mock reports its own in the details of `GET /_api/version`; any other
 * deployment decides as in `sidecar` fidelity.
 */
export async function readFidelity(client: VersionClient, signal?: AbortSignal): Promise<Fidelity> {
  try {
    const answer = await race(Promise.resolve(client.absoluteRoute?.('/_api').get('version', { details: true })), {
      signal,
    });
    return fidelityIn(isObject(answer?.body) ? answer.body.details : undefined);
  } catch (error) {
    // The database may refuse the token, which can still be valid for the services.
    if (isHttpError(error) || isParseError(error)) return fidelityIn(undefined);
    throw error;
  }
}
