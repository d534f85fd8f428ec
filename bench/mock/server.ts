// One server of bench/mock, selected by the argument, in a separate process. It sends its port as its first message,
// and replies to any message with its CPU time.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAuth2Server } from 'oauth2-mock-server';
import { listen } from '../../dist/mock/adapters/node/index.js';
import { createMock } from '../../dist/mock/index.js';
import { calls, config, es256Config } from './config.ts';

/** The least that a server on `node:http` can do: read the request to its end, answer a constant. */
async function bare(): Promise<number> {
  const body = Buffer.from(calls.evaluate.answer);
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.writeHead(200, headers).end(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // The cast: a server that listens on a port has an AddressInfo.
  return (server.address() as AddressInfo).port;
}

async function oauth(): Promise<number> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate('ES256');
  await server.start(0, '127.0.0.1');
  return server.address().port;
}

const kinds: Readonly<Record<string, () => Promise<number>>> = {
  bare,
  oauth,
  mock: async () => (await listen(await createMock(config))).port,
  es256: async () => (await listen(await createMock(es256Config()))).port,
};

const port = await kinds[process.argv[2] ?? '']?.();
process.send?.(port);
process.on('message', () => process.send?.(process.cpuUsage()));
process.once('disconnect', () => process.exit());
