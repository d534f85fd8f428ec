// A server of a cluster, as a process: answers reads, and tells its parent the id of each write.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'POST') process.send?.({ write: pathname });
    setTimeout(() => response.end('{"ok":true}'), 2);
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.({ port: server.address().port }));
