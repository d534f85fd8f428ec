import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as later } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { listenGrpc } from '../../../../src/console/mock/node.ts';
import { createClient, credentials } from '../../../../src/index.ts';
import { createMock } from '../../../../src/mock/index.ts';
import { everywhere } from './scripted-pool.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** A suspension of a process, and its extra length by one of its clocks. */
export interface Stop {
  readonly ms: number;
  readonly clock: 'wall' | 'monotonic';
  /** The factor by which only this clock advances, as if the whole machine were suspended. 1: unchanged. */
  readonly times: number;
}

/** The states of replicas: live or not, and their decisions or errors, by `whenStale`. */
interface Said {
  readonly live: boolean;
  readonly refuse: boolean | string;
  readonly shortly: boolean | string;
  readonly longer: boolean | string;
  readonly serve: boolean | string;
}

/** The program that is stopped. It polls the clock only, so that its question comes before anything else runs. */
const program = ({ clock, times }: Stop, address: string, token: string) => `
  import { writeSync } from 'node:fs';
  import { setTimeout as later } from 'node:timers/promises';
  const [wall, mono] = [Date.now, performance.now.bind(performance)];
  let [ahead, last] = [0, mono()];
  const jumped = () => {
    const now = mono();
    if (now - last > 1_000) ahead += ${times - 1} * (now - last);
    last = now;
    return ahead;
  };
  if (${times} > 1 && '${clock}' === 'wall') Date.now = () => wall() + jumped();
  if (${times} > 1 && '${clock}' === 'monotonic') performance.now = () => mono() + jumped();
  const { credentials } = await import('./dist/index.js');
  const { createReplica } = await import('./dist/replica/index.js');
  const options = { address: '${address}', credentials: credentials.bearer('${token}') };
  const replicas = {
    refuse: createReplica({ ...options, whenStale: 'refuse' }),
    shortly: createReplica({ ...options, whenStale: { serveForMs: 500 } }),
    longer: createReplica({ ...options, whenStale: { serveForMs: 900_000 } }),
    serve: createReplica(options),
  };
  const all = Object.entries(replicas);
  const question = { user: 'alice', action: 'orders:read', resource: 'orders' };
  const ask = (replica) => {
    try {
      return replica.isAllowed(question);
    } catch (error) {
      return error.reason;
    }
  };
  const say = () => {
    const said = all.map(([name, replica]) => [name, ask(replica)]);
    writeSync(1, JSON.stringify({ live: replicas.refuse.live, ...Object.fromEntries(said) }) + '\\n');
  };
  await Promise.all(all.map(([, replica]) => replica.ready()));
  say();
  for (let before = mono(), now = before; now - before < 1_000; now = mono()) {
    before = now;
    Date.now();
    performance.now();
  }
  say();
  while (!all.every(([, replica]) => replica.live)) await later(20);
  say();
  for (const [, replica] of all) await replica.close();
`;

/** The states of replicas in a real process before it is stopped, right after it continues, and once live again. */
export async function stopped(stop: Stop): Promise<readonly Said[]> {
  await using mock = await createMock({
    policies: { p: everywhere },
    roles: { r: { policies: ['p'] } },
    bindings: [{ user: 'alice', role: 'r', scope: everywhere }],
  });
  const { address } = await listenGrpc(mock);
  const token = await mock.tokens.issue({ user: null });
  const args = ['--input-type=module', '--eval', program(stop, address, token)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    const said: Said[] = [];
    // The cast: the program prints this type.
    for await (const line of createInterface(child.stdout)) {
      said.push(JSON.parse(line) as Said);
      if (said.length > 1) continue;
      await later(50);
      child.kill('SIGSTOP');
      const client = createClient({ ...mock.connection, credentials: credentials.bearer(token) });
      await client.authorization.bindings.remove({ user: 'alice', role: 'r' });
      await later(stop.ms);
      child.kill('SIGCONT');
    }
    await ended;
    return said;
  } finally {
    child.kill('SIGKILL');
  }
}
