// The mock of bench/replica on its two ports, in a separate process. The argument is the number of bindings. Its first
// message has its addresses; it replies to each command with its CPU time, in microseconds.
import { listen, listenGrpc } from '../../dist/mock/adapters/node/index.js';
import { createMock } from '../../dist/mock/index.js';
import { makeData, tenantScope } from '../policy/data.ts';

/** The addresses of the benchmark's server. */
export interface Place {
  readonly url: string;
  readonly address: string;
  readonly token: string;
}

/** A command to the server: this many changes of bindings at once, or per second from now on (0: none). */
export interface Order {
  readonly changes?: number;
  readonly perSecond?: number;
}

if (process.send !== undefined) {
  const count = Number(process.argv[2]);
  const { policies, roles, bindings } = makeData(count);
  const mock = await createMock({
    policies: Object.fromEntries(policies),
    roles: Object.fromEntries(roles),
    bindings,
    limits: { log: 0 },
  });
  const token = await mock.tokens.issue({ user: null, lifetime: '24h' });
  const { url } = await listen(mock);
  const { address } = await listenGrpc(mock);
  let written = 0;
  const write = async (): Promise<void> => {
    // One write in ten sets a policy again, the others a binding.
    const n = written++;
    const path = n % 10 === 0 ? `policy/policy${n % 1_000}` : `user/user${n % count}/role/churn${n}`;
    const body = n % 10 === 0 ? { item: policies.get(`policy${n % 1_000}`) } : { scope: tenantScope('*') };
    const response = await mock.fetch(`http://mock.test/_management/permissions/${path}`, {
      method: n % 10 === 0 ? 'PUT' : 'POST',
      headers: { authorization: `bearer ${token}` },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`write ${n}: ${response.status}`);
  };
  let timer: ReturnType<typeof setInterval> | undefined;
  process.on('message', async ({ changes = 0, perSecond }: Order) => {
    for (let i = 0; i < changes; i++) await write();
    if (perSecond !== undefined) clearInterval(timer);
    if (perSecond) timer = setInterval(() => void write(), 1_000 / perSecond);
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.once('disconnect', () => process.exit());
  process.send({ url, address, token } satisfies Place);
}
