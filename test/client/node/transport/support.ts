import { mkdtempSync, rmSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type NodeTransportOptions, nodeTransport } from '../../../../src/client/node/index.ts';
import { type ClientOptions, createClient } from '../../../../src/index.ts';

/** A folder for one test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A client over a transport of its own, closed with the test. */
export function clientOver(url: string, options: NodeTransportOptions = {}, more: Partial<ClientOptions> = {}) {
  const client = createClient({ url, retry: 0, ...more, transport: nodeTransport(options) });
  onTestFinished(() => client.close({ graceMs: 0 }));
  return client;
}

async function listening(server: Server, where: { readonly path: string } | { readonly port: 0 }): Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen({ host: '127.0.0.1', ...where }, done));
  onTestFinished(async () => {
    const closed = new Promise<void>((done) => server.close(() => done()));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
}

// The cast: a server that listens on a port has an AddressInfo.
const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** An HTTPS server for one test; it answers with the name of the client certificate. */
export async function serveTls(options: ServerOptions) {
  let connections = 0;
  const server = createHttpsServer(options, (request, response) => {
    const { subject } = (request.socket as import('node:tls').TLSSocket).getPeerCertificate();
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ client: subject?.CN ?? null }));
  });
  server.on('secureConnection', () => connections++);
  server.on('tlsClientError', () => undefined);
  await listening(server, { port: 0 });
  return {
    url: `https://127.0.0.1:${portOf(server)}`,
    port: portOf(server),
    connections: () => connections,
    /** Sets another certificate for new connections, and closes the open ones. */
    replace(next: ServerOptions) {
      server.setSecureContext(next);
      server.closeAllConnections();
    },
  };
}

/** An HTTPS server for one test that prefers HTTP/2; it answers with the version of the request. */
export async function serveHttp2(options: ServerOptions): Promise<string> {
  const server = createSecureServer({ ...options, allowHTTP1: true }, (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(request.httpVersion));
  });
  await listening(server, { port: 0 });
  return `https://127.0.0.1:${portOf(server)}`;
}

/** A server on a Unix domain socket. */
export async function serveSocket(server: Server, path: string): Promise<void> {
  await listening(server, { path });
}

const established = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** A proxy for CONNECT and requests in absolute form; `asked` has the heads of its requests. */
export async function serveProxy(answer = established) {
  const asked: string[] = [];
  const server = createNetServer((socket) => {
    socket.once('data', (head) => {
      asked.push(String(head));
      const isTunnel = String(head).startsWith('CONNECT ');
      if (answer !== established) return void socket.end(answer);
      const [, host, port] = /^[A-Z]+ (?:http:\/\/)?([^/ ]+):(\d+)/.exec(String(head)) ?? [];
      const target = connect(Number(port), host);
      if (isTunnel) socket.write(answer);
      else target.write(String(head).replace(/ http:\/\/[^/]+/, ' '));
      target.on('error', () => socket.destroy());
      socket.pipe(target).pipe(socket);
      onTestFinished(() => void target.destroy());
    });
  });
  await listening(server, { port: 0 });
  return { url: `http://127.0.0.1:${portOf(server)}`, asked };
}
