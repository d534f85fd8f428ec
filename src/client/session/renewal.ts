import { isHttpError } from '../../base/error-guards.js';
import { longestTimerMs, race } from '../../base/lib/wait.js';
import { renewalBackoffMs, tokenTimeoutMs } from '../credentials/renewal-times.js';
import type { LiveSession } from './session-record.js';
import { isLasting, requestToken } from './session-requests.js';
import type { TabSession } from './tab-session.js';

/** Renews the token of a session when it is due, and ends the session when it expires. */
export interface Renewal {
  /** Starts a renewal if one is due; otherwise returns undefined. It never rejects. */
  ifDue(live: LiveSession): Promise<void> | undefined;
  /** Renews or ends the session, whichever is due. */
  catchUp(): Promise<void>;
  /** Stops the timer. */
  close(): void;
}

/** Renews the token of a tab's session. New tokens come from `renewer` or, without one, from the service. */
export function startRenewal(tab: TabSession, renewer: (() => string | Promise<string>) | undefined): Renewal {
  const { clock } = tab;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let begunAt = Number.NEGATIVE_INFINITY;
  /** The last session that could not be renewed, the number of its failures, and when the next attempt begins. */
  let failed: { live: LiveSession; failures: number; retryAt: number } | undefined;

  const renewAtOf = (live: LiveSession) => (failed?.live === live ? failed.retryAt : live.renewAt);
  // In Workers a promise of a request that has ended never settles.
  const isUnderWay = () => performance.now() - begunAt < tokenTimeoutMs;
  const ifDue = (live: LiveSession) => (clock.now() >= renewAtOf(live) && !isUnderWay() ? renew(live) : undefined);

  async function catchUp(): Promise<void> {
    const { current: live, valid } = tab;
    if (live && !valid) await tab.settle();
    else if (live) await (ifDue(live) ?? schedule());
  }

  /** Renews the token, with one request at a time in all tabs that share the store. */
  async function renew(live: LiveSession): Promise<void> {
    begunAt = performance.now();
    try {
      await race(
        tab.renewAlone(() => replace(live), tokenTimeoutMs),
        { ms: tokenTimeoutMs },
      );
    } catch (error) {
      const failures = failed?.live === live ? failed.failures : 0;
      const isFinal = !renewer && isLasting(error);
      const retryAt = isFinal ? Number.POSITIVE_INFINITY : clock.now() + renewalBackoffMs(failures);
      failed = { live, failures: failures + 1, retryAt };
      if (isHttpError(error) && error.status === 401 && tab.current === live) await tab.giveUp('refused');
    }
    begunAt = Number.NEGATIVE_INFINITY;
    schedule();
  }

  /** Replaces the token by a new one of the same user, unless another tab has done so already. */
  async function replace(live: LiveSession): Promise<void> {
    if (!(await tab.isStill(live))) return;
    const { header, user, groups, lifetimeMs, signedInAt } = live;
    const read = tab.startAsking(signedInAt);
    // The user is always named: without a user, the service would create a privileged token.
    const request = { user, groups, lifetimeMs };
    const token = renewer ? await renewer() : await requestToken(tab.connection, header, request);
    const next = read(String(token));
    if (next?.user === user) await tab.replace(live, next);
    else if (await tab.isStill(live)) await tab.giveUp('refused');
  }

  function schedule(): void {
    clearTimeout(timer);
    const { current: live } = tab;
    if (!live || isClosed) return;
    const { endsAt, mustEndAt } = live;
    const now = clock.now();
    const renewInMs = isUnderWay() ? Number.POSITIVE_INFINITY : renewAtOf(live) - now;
    const leftMs = Math.min(endsAt - now, mustEndAt - Date.now(), renewInMs);
    timer = setTimeout(catchUp, Math.min(Math.max(0, leftMs) + 1, longestTimerMs));
    // In Node a session does not keep the process alive.
    (timer as { unref?(): void }).unref?.();
  }

  tab.listeners.add('change', schedule);
  return {
    ifDue,
    catchUp,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
