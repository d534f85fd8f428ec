import type { Server as HttpServer } from 'node:http';
import type { Http2Server } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { type WaitTimes, watchHttp1, watchHttp2 } from './timeouts.js';

// The connection preface of HTTP/2, which clients with prior knowledge send first. No HTTP/1.1 request begins with it.
const preface = Buffer.from('PRI * HTTP/2.0\r\n');

/** True if the bytes begin HTTP/2; undefined if there are too few to tell. */
function beginsHttp2(bytes: Buffer): boolean | undefined {
  const length = Math.min(bytes.length, preface.length);
  if (!bytes.subarray(0, length).equals(preface.subarray(0, length))) return false;
  return length === preface.length ? true : undefined;
}

/**
 * Creates a TCP server that dispatches each connection by its first bytes: to an HTTP/2 server if the client speaks
 * HTTP/2 with prior knowledge, as gRPC without TLS does, else to `http1`. Neither of the two listens itself; the caller
 * closes their connections. A client that sends nothing in time is disconnected.
 * @param createHttp2 called for the first connection of HTTP/2, because Node takes 20 ms to load that module.
 */
export function serveBothVersions(http1: HttpServer, createHttp2: () => Http2Server, timeouts: WaitTimes): Server {
  let http2: Http2Server | undefined;
  const openHttp2 = (): Http2Server => {
    http2 = createHttp2();
    watchHttp2(http2, timeouts);
    return http2;
  };
  const server = createServer({ noDelay: true }, (socket: Socket) => {
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
        // HTTP/2 reads the buffered bytes itself and then the handle below the stream, so nothing may flow out of the
        // stream before.
        (http2 ?? openHttp2()).emit('connection', socket);
      } else {
        http1.emit('connection', socket);
        socket.resume();
      }
    };
    const onData = (bytes: Buffer): void => {
      seen.push(bytes);
      const isHttp2 = beginsHttp2(seen.length === 1 ? bytes : Buffer.concat(seen));
      if (isHttp2 !== undefined) return void hand(isHttp2);
      if (seen.length > 1) return;
      clearTimeout(timer);
      timer = setTimeout(drop, timeouts.requestTimeoutMs).unref();
    };
    socket.on('data', onData).on('end', drop).on('error', drop);
  });
  server.once('listening', () => server.once('close', watchHttp1(http1)));
  return server;
}
