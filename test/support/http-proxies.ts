import { onTestFinished } from 'vitest';
import { isInstalled, startOnPort } from './proxies.ts';

// Real programs between a client and a server over HTTP/1.1: `apt-get install squid nginx-light haproxy`.

/** Tells if a program is installed; prints a warning if not. */
export function canTry(program: string): boolean {
  const found = isInstalled(program);
  const line = '!'.repeat(72);
  if (!found) console.error(`\n${line}\n!! NOT TRIED: ${program} (apt-get install ${program})\n${line}`);
  return found;
}

/** Starts a program, and ends it with the test; returns its URL. */
async function start(...how: Parameters<typeof startOnPort>): Promise<string> {
  const started = await startOnPort(...how);
  onTestFinished(() => started[Symbol.asyncDispose]());
  return `http://${started.address}`;
}

/**
 * Squid as a forward proxy, with the rules of Debian's own configuration: CONNECT reaches port 443 only, unless
 * `tunnels` names others.
 */
export const startSquid = ({ tunnels = [443] }: { readonly tunnels?: readonly number[] } = {}) =>
  start(
    'squid',
    (port, folder) => `
http_port 127.0.0.1:${port}
acl SSL_ports port ${tunnels.join(' ')}
acl Safe_ports port 80 443 1025-65535
acl CONNECT method CONNECT
http_access deny !Safe_ports
http_access deny CONNECT !SSL_ports
http_access allow localhost
http_access deny all
cache deny all
cache_effective_user proxy
pid_filename none
access_log none
cache_log /dev/null
cache_store_log none
coredump_dir ${folder}
shutdown_lifetime 0 seconds
`,
    // Needs a unique name, because its shared memory is named after it.
    (_folder, configuration, port) => ['-N', '-d', '1', '-n', `test${port}`, '-f', configuration],
  );

/** nginx as a reverse proxy in front of `target` (`host:port`). */
export const startNginx = (target: string) =>
  start(
    'nginx',
    (port, folder) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${folder};
  proxy_temp_path ${folder};
  fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder};
  scgi_temp_path ${folder};
  client_max_body_size 0;
  upstream target { server ${target}; keepalive 16; }
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 20;
    location / {
      proxy_pass http://target;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_request_buffering off;
      proxy_buffering off;
      proxy_read_timeout 2s;
    }
  }
}
`,
    (folder, configuration) => ['-p', folder, '-c', configuration, '-e', 'stderr'],
  );

/** HAProxy as a reverse proxy in front of `target` (`host:port`). */
export const startHaproxy = (target: string) =>
  start(
    'haproxy',
    (port) => `
defaults
  mode http
  timeout connect 2s
  timeout client 5s
  timeout server 2s
  timeout http-keep-alive 300ms
frontend entry
  bind 127.0.0.1:${port}
  default_backend target
backend target
  server only ${target}
`,
    (_folder, configuration) => ['-f', configuration],
  );
