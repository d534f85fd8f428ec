import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** What is known of one connection: how many answers it waits for, and a signal for when it breaks. */
export interface Link {
  readonly gone: AbortController;
  pending: number;
}

/** The connections of a port, of both versions of HTTP. */
export interface Links {
  /** Whether no more requests are awaited. */
  readonly closing: boolean;
  add(socket: Socket): void;
  of(socket: Socket): Link | undefined;
  /** Takes a connection over that speaks HTTP/2: it counts its answers itself. */
  addSession(session: Http2Session): void;
  /** Leaves a connection to its session. */
  hand(socket: Socket): void;
  /** Ends idle connections now, and the others as soon as they are idle. */
  close(): void;
  /** Ends all connections now. */
  cut(): void;
}

/** Makes an empty list of connections. */
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
