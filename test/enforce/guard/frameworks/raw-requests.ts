import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** The first line of a request: `GET /orders/7`. */
export type RequestLine = `${string} ${string}`;

/**
 * Sends requests over raw sockets, which change nothing in a target, and returns the status of each answer. 0 if Node's
 * own parser refused the request.
 */
export async function sendRaw(listener: RequestListener, lines: readonly RequestLine[]): Promise<number[]> {
  const statuses = lines.map(() => 0);
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const id = Number(request.headers['x-id']);
    response.once('close', () => {
      statuses[id] = response.statusCode;
    });
    listener(request, response);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    // Many by one connection; a request that the parser may refuse has its own, which the refusal ends.
    const all = [...lines.entries()];
    const usual = all.filter(isUsual);
    const unusual = all.filter((one) => !isUsual(one));
    for (let start = 0; start < usual.length; start += 200) await send(port, usual.slice(start, start + 200));
    for (const one of unusual) await send(port, [one]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return statuses;
}

const isUsual = ([, line]: readonly [number, string]) => /^[A-Z]+ (?:https?:\/\/[\w.:]+)?\/[\x21-\x7e]*$/.test(line);

async function send(port: number, lines: readonly (readonly [number, string])[]): Promise<void> {
  const socket = connect(port, '127.0.0.1').resume();
  // The refusal of a request may come as a reset.
  socket.on('error', () => undefined);
  const heads = lines.map(([id, line], index) => {
    const last = index === lines.length - 1 ? 'connection: close\r\n' : '';
    return `${line} HTTP/1.1\r\nhost: service.test\r\nx-id: ${id}\r\n${last}\r\n`;
  });
  socket.write(heads.join(''), 'latin1');
  await once(socket, 'close');
}
