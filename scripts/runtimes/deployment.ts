import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { listen, listenGrpc } from 'arango-services/mock/node';
import type { Place } from '../../test/runtimes/job.ts';
import { startMock } from '../../test/runtimes/platform.ts';
import { createAuthority, type Issued } from '../../test/support/certificates.ts';
import { root } from '../lib/exec.ts';

/** TLS in front of a port. */
async function secure({ cert, key }: Issued, port: number, protocol: string): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createServer({ cert, key, ALPNProtocols: [protocol] }, (socket) => {
    const target = connect(port, '127.0.0.1');
    for (const one of [socket, target]) {
      sockets.add(one);
      one.on('error', () => target.destroy());
      one.on('close', () => sockets.delete(one));
    }
    socket.pipe(target).pipe(socket);
  });
  server.on('close', () => sockets.forEach((one) => void one.destroy()));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

// The cast: a server that listens on a port has an address of this kind.
const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** Starts a deployment on ports, with and without TLS. */
export async function startDeployment(): Promise<{ place: Place; [Symbol.asyncDispose](): Promise<void> }> {
  const mock = await startMock();
  const folder = await mkdtemp(join(tmpdir(), 'arango-services-place-'));
  const [http, grpc] = [await listen(mock), await listenGrpc(mock)];
  const authority = await createAuthority();
  const issued = await authority.issue();
  const [secureHttp, secureGrpc] = [await secure(issued, http.port, 'http/1.1'), await secure(issued, grpc.port, 'h2')];
  const token = await mock.tokens.issue({ user: null });
  const [caFile, tokenFile] = [join(folder, 'ca.pem'), join(folder, 'token')];
  await writeFile(caFile, authority.cert);
  await writeFile(tokenFile, token);
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return {
    place: {
      subpaths: Object.keys(exports)
        .filter((name) => !name.endsWith('.json'))
        .map((name) => `arango-services${name.slice(1)}`),
      url: http.url,
      secureUrl: `https://127.0.0.1:${portOf(secureHttp)}`,
      poolUrl: `https://127.0.0.1:${portOf(secureGrpc)}`,
      caFile,
      tokenFile,
      aliceToken: await mock.tokens.issue({ user: 'alice' }),
      token,
    },
    async [Symbol.asyncDispose]() {
      for (const server of [secureHttp, secureGrpc]) server.close();
      await mock[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
