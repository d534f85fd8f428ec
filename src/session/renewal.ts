import { renewalBackoffMs, tokenTimeoutMs } from '../credentials/renewal-times.js';
import { isHttpError } from '../errors.js';
import { SingleFlight } from '../lib/single-flight.js';
import { longestTimerMs, race } from '../lib/wait.js';
import type { Held } from './held.js';
import { isLasting, requestToken } from './service.js';
import type { TabSession } from './tab-session.js';

/** Renews the token of a session when it is due, and ends the session when it expires. */
export interface Renewal {
  /** Renews the token if it is due; undefined if not. It never rejects. */
  ifDue(held: Held): Promise<void> | undefined;
  /** Renews or ends the session, if that is due. */
  catchUp(): Promise<void>;
  /** Stops the timer. */
  close(): void;
}

/** Renews the tokens of a tab's session. New tokens come from `renewer`, or from the service if there is none. */
export function startRenewal(tab: TabSession, renewer: (() => string | Promise<string>) | undefined): Renewal {
  const { clock } = tab;
  const flight = new SingleFlight<void>(tokenTimeoutMs);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const ifDue = (held: Held) => (clock.now() >= held.renewAt && !flight.underWay ? renew(held) : undefined);

  async function catchUp(): Promise<void> {
    const { held, valid } = tab;
    if (held && !valid) await tab.giveUp('expired');
    else if (held) await (ifDue(held) ?? schedule());
  }

  /** Renews the token, with one request at a time in this tab and in all that share the store. */
  function renew(held: Held): Promise<void> {
    const ask = () => replace(held);
    const work = async () => {
      try {
        await race(tab.alone(ask), { ms: tokenTimeoutMs });
      } catch (error) {
        const isFinal = !renewer && isLasting(error);
        held.renewAt = isFinal ? Number.POSITIVE_INFINITY : clock.now() + renewalBackoffMs(held.failures++);
        if (isHttpError(error) && error.status === 401 && tab.held === held) await tab.giveUp('refused');
      }
    };
    return flight.run(work).finally(schedule);
  }

  /** Replaces the token by a new one of the same user, unless another tab has done so. */
  async function replace(held: Held): Promise<void> {
    if (!(await tab.isStill(held))) return;
    const { header, user, groups, lifetimeMs, signedInAt } = held;
    const read = tab.startAsking(signedInAt);
    // Always with a user: without one, the service would make a privileged token.
    const request = { user, groups, lifetimeMs };
    const token = renewer ? await renewer() : await requestToken(tab.connection, header, request);
    if (!(await tab.isStill(held))) return;
    const next = read(String(token));
    await (next?.user === user ? tab.keep(next) : tab.giveUp('refused'));
  }

  function schedule(): void {
    clearTimeout(timer);
    const { held } = tab;
    if (!held || isClosed) return;
    const { endsAt, renewAt, mustEndAt } = held;
    const now = clock.now();
    const renewInMs = flight.underWay ? Number.POSITIVE_INFINITY : renewAt - now;
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
