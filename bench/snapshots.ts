// Snapshots of the mock: 200 snapshots and restores of a state with 10 000 bindings in under a second. A write in
// between copies the indexes that it changes; that cost is shown, too.
import { createMock } from '../dist/mock/index.js';
import { spread } from './harness.ts';

const rounds = 200;
const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

export async function run(): Promise<void> {
  await using mock = await createMock({
    policies: { all: everywhere },
    roles: { admin: { policies: ['all'] } },
    bindings: Array.from({ length: 10_000 }, (_, i) => ({ user: `user-${i}`, role: 'admin', scope: everywhere })),
  });
  const authorization = `Bearer ${await mock.tokens.issue({ user: null })}`;

  /** Removes a binding: the first write after a snapshot copies the index that it changes. */
  async function write(i: number): Promise<void> {
    const path = `/_management/permissions/user/user-${i}/role/admin`;
    const { status } = await mock.fetch(`http://mock.test${path}`, { method: 'DELETE', headers: { authorization } });
    if (status !== 200) throw new Error(`the write was answered with ${status}`);
  }

  async function measure(name: string, between: (i: number) => Promise<void> | void): Promise<void> {
    const times: number[] = [];
    for (let round = 0; round < 7; round++) {
      const started = performance.now();
      for (let i = 0; i < rounds; i++) {
        const snapshot = mock.snapshot();
        await between(i);
        mock.restore(snapshot);
      }
      times.push(performance.now() - started);
    }
    const { median, p10, p90 } = spread(times);
    console.log(`  ${name}: ${median.toFixed(1)} ms (${p10.toFixed(1)} to ${p90.toFixed(1)})`);
  }

  console.log(`${rounds} snapshots and restores of 10 000 bindings`);
  await measure('alone', () => {});
  await measure('with a write in between', write);
}
