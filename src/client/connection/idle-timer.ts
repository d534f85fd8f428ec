/**
 * Counts the silence of the server: only time in which the call waits for the server, not while the caller does not
 * read, and not while an upload waits for its own source.
 */
export interface IdleTimer {
  /** The call waits for the server's next bytes. */
  readonly awaitServer: () => void;
  /** The upload waits for its own source. */
  readonly awaitSource: () => void;
  /** The server has taken a part of the body, or has the next one to take. */
  readonly awaitUptake: () => void;
  /** The call does not wait for the server: it has ended, or its caller does not read. */
  readonly stop: () => void;
}

/** Creates a stopped timer that calls back after `idleMs` of silence. */
export function createIdleTimer(idleMs: number, onIdle: () => void): IdleTimer {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let awaitsServer = false;
  let awaitsSource = false;
  const restart = (server: boolean, source: boolean) => {
    awaitsServer = server;
    awaitsSource = source;
    clearTimeout(timer);
    if (server && !source) timer = setTimeout(onIdle, idleMs);
  };
  return {
    awaitServer: () => restart(true, awaitsSource),
    awaitSource: () => restart(awaitsServer, true),
    awaitUptake: () => restart(awaitsServer, false),
    stop: () => restart(false, awaitsSource),
  };
}
