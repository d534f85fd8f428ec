import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const program = new URL('cluster-server.mjs', import.meta.url).pathname;

/** The ids of the writes that arrived, with how often. */
export type Writes = Map<string, number>;

/** A server of a cluster, which can be killed and started again on its port. */
export class ClusterServer {
  url = '';
  #port = 0;
  #process: ChildProcess | undefined;
  readonly #writes: Writes;

  constructor(writes: Writes) {
    this.#writes = writes;
  }

  start(): Promise<void> {
    const child = fork(program, [String(this.#port)]);
    this.#process = child;
    return new Promise((done) => {
      child.on('message', ({ port, write }: { port?: number; write?: string }) => {
        if (write !== undefined) this.#writes.set(write, (this.#writes.get(write) ?? 0) + 1);
        if (port === undefined) return;
        this.#port = port;
        this.url = `http://127.0.0.1:${port}`;
        done();
      });
    });
  }

  kill(): Promise<unknown> {
    const gone = new Promise((done) => this.#process?.once('exit', done));
    this.#process?.kill('SIGKILL');
    return gone;
  }
}

/** Starts three servers that count the same writes. */
export async function startCluster(writes: Writes): Promise<readonly ClusterServer[]> {
  const servers = [new ClusterServer(writes), new ClusterServer(writes), new ClusterServer(writes)];
  await Promise.all(servers.map((server) => server.start()));
  return servers;
}

/** Kills and starts each server twice, so that one is down at most times. */
export async function takeDownInTurn(servers: readonly ClusterServer[]): Promise<void> {
  for (const server of [...servers, ...servers]) {
    await server.kill();
    await sleep(150);
    await server.start();
    await sleep(50);
  }
}
