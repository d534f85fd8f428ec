// A guarded service as a process of its own: `PORT=… PLATFORM_URL=… node guarded-service.ts`. It knows nothing of the
// gateway in front of it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createGuard, permissionsHandler } from '../../dist/guard/index.js';
import { createClient } from '../../dist/index.js';

const guard = createGuard(createClient({ url: process.env.PLATFORM_URL ?? '' }), { identify: true });
const permissions = permissionsHandler(guard, { actions: ['orders:read', 'orders:write'] });

const send = (answer: ServerResponse, status: number, headers: Readonly<Record<string, string>>, body: unknown) =>
  answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

async function serve(request: IncomingMessage, answer: ServerResponse): Promise<unknown> {
  if (request.url === '/permissions') {
    const { status, headers, body } = await permissions.answer(request, await readJson(request));
    return send(answer, status, headers, body);
  }
  const action = request.method === 'GET' ? 'orders:read' : 'orders:write';
  const access = await guard.check(request, { action, resource: 'orders' });
  if (!access.allowed) return send(answer, access.status, access.headers, access.body);
  if (request.url === '/count') {
    answer.writeHead(200, { 'content-type': 'text/plain' }).flushHeaders();
    let size = 0;
    for await (const chunk of request) size += chunk.length;
    return answer.end(String(size));
  }
  return send(answer, 200, {}, { path: request.url, user: access.user });
}

createServer((request, answer) => void serve(request, answer).catch(() => answer.destroy()))
  .listen(Number(process.env.PORT), '127.0.0.1')
  .on('listening', () => console.log('listening'));
