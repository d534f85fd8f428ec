// The server of bench/http, in a separate process: 1 kB of JSON for every request, after its body was read.
import { createServer } from 'node:http';
import { payload } from './payload.ts';

const body = Buffer.from(JSON.stringify(payload));
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length };

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => response.writeHead(200, headers).end(body));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.once('disconnect', () => process.exit());
