import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';

/** A request as it was on the wire. */
export interface Wire {
  readonly method: string;
  /** The raw request target: path and query as they were sent. */
  readonly target: string;
  /** Every value of every header, by lower-case name, in their order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
}

export interface TestServer {
  readonly url: string;
  /** The requests that arrived, with their whole bodies. */
  readonly seen: Wire[];
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** The number of connections made. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

export type Responder = (wire: Wire, response: ServerResponse, request: IncomingMessage) => void;

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Responder =>
  (_wire, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

function headersOf(request: IncomingMessage): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = String(request.rawHeaders[i]).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), String(request.rawHeaders[i + 1])]);
  }
  return headers;
}

type Listening = Pick<ReturnType<typeof createNetServer>, 'listen' | 'address' | 'close' | 'on'>;

async function start(server: Listening, seen: Wire[]): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  // The cast: a server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      for (const socket of sockets) socket.destroy();
    });
  return { url: `http://127.0.0.1:${port}`, seen, sockets, connections: () => connections, close };
}

/** A server for one test: records each request after its body, and answers it. */
export async function serve(answer: Responder = json({})): Promise<TestServer> {
  const server = await open(answer);
  onTestFinished(server.close);
  return server;
}

/** The same, closed by its caller. */
export async function open(answer: Responder = json({})): Promise<TestServer> {
  const seen: Wire[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { method = '', url = '' } = request;
      const wire = { method, target: url, headers: headersOf(request), body: Buffer.concat(chunks) };
      seen.push(wire);
      answer(wire, response, request);
    });
  });
  return start(server, seen);
}

/** A server that handles requests before their body has arrived. */
export async function serveRaw(listener: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = await start(createServer(listener), []);
  onTestFinished(server.close);
  return server;
}

/** A server that speaks a given protocol. */
export async function serveBytes(onData: (socket: Socket) => void): Promise<TestServer> {
  const server = createNetServer((socket) => {
    socket.once('data', () => onData(socket));
  });
  const started = await start(server, []);
  onTestFinished(started.close);
  return started;
}

/** Gives the answers one after the other; repeats the last one. */
export function inTurn(...answers: [Responder, ...Responder[]]): Responder {
  let next = 0;
  return (wire, response, request) => {
    const answer = answers[Math.min(next++, answers.length - 1)] ?? answers[0];
    answer(wire, response, request);
  };
}

/** Waits until a server has no open connection. */
export const disconnected = (server: TestServer) => expect.poll(() => server.sockets.size).toBe(0);
