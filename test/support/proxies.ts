import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The limits of a proxy. */
export interface ProxyRules {
  /** A stream is cut after this long without data. */
  readonly timeoutSeconds: number;
  /** A connection closes after this many requests. */
  readonly requests: number;
}

/** A proxy for HTTP/2 without TLS in front of a port. */
export interface ProxyProcess extends AsyncDisposable {
  /** `host:port`. */
  readonly address: string;
}

/** The configuration of each program, in front of `upstream`, and its command line. */
const programs = {
  nginx: {
    args: (folder: string, file: string) => ['-p', folder, '-c', file, '-e', join(folder, 'error.log')],
    config: (port: number, upstream: number, { timeoutSeconds: s, requests }: ProxyRules, folder: string) => `
      daemon off; master_process off; pid ${folder}/nginx.pid;
      events { worker_connections 1024; }
      http {
        access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
        uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
        server {
          listen 127.0.0.1:${port} http2;
          keepalive_requests ${requests}; keepalive_timeout ${s}s; send_timeout ${s}s;
          location / { grpc_pass grpc://127.0.0.1:${upstream}; grpc_read_timeout ${s}s; grpc_send_timeout ${s}s; }
        }
      }`,
  },
  haproxy: {
    args: (_folder: string, file: string) => ['-db', '-f', file],
    config: (port: number, upstream: number, { timeoutSeconds: s, requests }: ProxyRules) => `
defaults
  mode http
  timeout connect ${s}s
  timeout client ${s}s
  timeout server ${s}s
  timeout http-keep-alive ${s}s
frontend front
  bind 127.0.0.1:${port} proto h2
  default_backend back
backend back
  server only 127.0.0.1:${upstream} proto h2 max-reuse ${requests}
`,
  },
};

/** The name of a proxy program. */
export type ProxyProgram = keyof typeof programs;

/** Tells whether the program is installed. */
export const isInstalled = (program: string): boolean => spawnSync(program, ['-v']).error === undefined;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });

/** Starts a program on a free port, with a configuration for it. */
export async function startOnPort(
  program: string,
  config: (port: number, folder: string) => string,
  args: (folder: string, file: string, port: number) => readonly string[],
): Promise<ProxyProcess> {
  const folder = mkdtempSync(join(tmpdir(), `${program}-`));
  // A program started by root may continue as another user.
  chmodSync(folder, 0o777);
  const port = await freePort();
  const file = join(folder, 'proxy.conf');
  writeFileSync(file, config(port, folder));
  const child: ChildProcess = spawn(program, args(folder, file, port), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (bytes) => {
    said += bytes;
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  for (let tries = 0; !(await accepts(port)); tries++) {
    if (tries > 100 || child.exitCode !== null) throw new Error(`${program} did not start: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    address: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Starts a proxy in front of a port of this machine. */
export function startProxy(program: ProxyProgram, upstream: number, rules: ProxyRules): Promise<ProxyProcess> {
  const { args, config } = programs[program];
  return startOnPort(program, (port, folder) => config(port, upstream, rules, folder), args);
}
