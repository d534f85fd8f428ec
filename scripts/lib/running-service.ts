import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Starts a program that takes a port as its last argument, calls `use` when it answers at a path, and ends it.
 * @param command the program and its arguments
 * @param path of which any answer means that the service runs
 */
export async function withService(
  [program = '', ...args]: readonly string[],
  path: string,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const service: ChildProcess = spawn(program, [...args, String(port)], { env, stdio: 'inherit' });
  const ended = once(service, 'exit');
  try {
    for (let tries = 0; !(await fetch(url + path).catch(() => undefined)); tries += 1) {
      if (tries === 600 || service.exitCode !== null) throw new Error('the service did not start');
      await new Promise((done) => setTimeout(done, 100));
    }
    await use(url);
  } finally {
    service.kill();
    await ended;
  }
}
