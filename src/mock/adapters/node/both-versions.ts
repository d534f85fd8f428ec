import type { Server as HttpServer } from 'node:http';
import type { Http2Server } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { type WaitTimes, watchHttp1, watchHttp2 } from './timeouts.js';

// The first bytes of HTTP/2 where the client knows that the server speaks it (the connection preface). No method of
// HTTP/1.1 begins so.
const preface = Buffer.from('PRI * HTTP/2.0\r\n');

/** Whether the first bytes begin HTTP/2; undefined while there are too few of them. */
function beginsHttp2(bytes: Buffer): boolean | undefined {
  const known = Math.min(bytes.length, preface.length);
  if (!bytes.subarray(0, known).equals(preface.subarray(0, known))) return false;
  return known === preface.length ? true : undefined;
}

/**
 * A server of plain sockets that hands each one on, by its first bytes: to `http2` where the client speaks HTTP/2 from
 * the start, as gRPC does without TLS, else to `http1`. Neither of the two listens itself; whoever closes them closes
 * their connections. What a client does not send in time ends its connection.
 */
export function serveBothVersions(http1: HttpServer, http2: Http2Server, timeouts: WaitTimes): Server {
  watchHttp2(http2, timeouts);
  const server = createServer((socket: Socket) => {
    const seen: Buffer[] = [];
    const drop = (): void => void socket.destroy();
    let timer = setTimeout(drop, timeouts.idleTimeoutMs).unref();
    socket.once('close', () => clearTimeout(timer));
    const hand = (isHttp2: boolean): void => {
      clearTimeout(timer);
      socket.off('data', onData).off('end', drop).off('error', drop);
      socket.pause();
      if (seen.length > 0) socket.unshift(Buffer.concat(seen));
      if (isHttp2) {
        // It takes what is buffered by itself, and then the bytes below the stream: nothing may flow out of the stream
        // before.
        http2.emit('connection', socket);
      } else {
        http1.emit('connection', socket);
        socket.resume();
      }
    };
    const onData = (bytes: Buffer): void => {
      seen.push(bytes);
      const found = beginsHttp2(seen.length === 1 ? bytes : Buffer.concat(seen));
      if (found !== undefined) return void hand(found);
      if (seen.length > 1) return;
      clearTimeout(timer);
      timer = setTimeout(drop, timeouts.requestTimeoutMs).unref();
    };
    socket.on('data', onData).on('end', drop).on('error', drop);
  });
  server.once('listening', () => server.once('close', watchHttp1(http1)));
  return server;
}
