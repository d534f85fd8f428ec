import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** One connection: its number of pending responses, and a signal that aborts when it closes. */
export type Link = { readonly gone: AbortController; pending: number };

/** The connections of a port, for HTTP/1.1 and HTTP/2. */
export interface Links {
  /** True once the port is closing. */
  readonly closing: boolean;
  add(socket: Socket): void;
  of(socket: Socket): Link | undefined;
  /** Adds a session of HTTP/2, which tracks its own streams. */
  addSession(session: Http2Session): void;
  /** Drops a connection that its HTTP/2 session now tracks. */
  hand(socket: Socket): void;
  /** Closes idle connections now, and the others as soon as they are idle. */
  close(): void;
  /** Destroys all connections now. */
  cut(): void;
}

/** Creates an empty list of connections. */
export function createLinks(): Links {
  const links = new Map<Socket, Link>();
  const sessions = new Set<Http2Session>();
  let closing = false;
  return {
    get closing() {
      return closing;
    },
    add(socket) {
      const link: Link = { gone: new AbortController(), pending: 0 };
      links.set(socket, link);
      socket.once('close', () => {
        links.delete(socket);
        link.gone.abort();
      });
    },
    of: (socket) => links.get(socket),
    hand: (socket) => void links.delete(socket),
    addSession(session) {
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
      session.on('error', () => {});
    },
    close() {
      closing = true;
      for (const [socket, { pending }] of links) if (pending === 0) socket.destroySoon();
      for (const session of sessions) session.close();
    },
    cut() {
      for (const socket of links.keys()) socket.destroy();
      for (const session of sessions) session.destroy();
    },
  };
}
