// A separate process: loads 1 000 000 bindings in batches of 128, as they stream in, and prints the longest batch.
import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { createEvaluator } from '../../dist/policy/index.js';
import { cpuTime } from './clock.ts';
import { makeData, tenantScope } from './data.ts';

const collections: { readonly start: number; readonly end: number }[] = [];
const observer = new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    collections.push({ start: startTime, end: startTime + duration });
  }
});
observer.observe({ entryTypes: ['gc'] });

const count = 1_000_000;
const { policies, roles } = makeData(1);
const next = createEvaluator();
const batches: { readonly start: number; readonly end: number; readonly busy: number }[] = [];
for (const [name, policy] of policies) next.setPolicy(name, policy);
for (const [name, role] of roles) next.setRole(name, role);
for (let i = 0; i < count; i += 128) {
  const items = Array.from({ length: Math.min(128, count - i) }, (_, n) => ({
    user: `user${i + n}`,
    role: `role${(i + n) % 1000}`,
    scope: tenantScope(n % 2 === 0 ? '*' : `t${i + n}`),
  }));
  const [start, cpu] = [performance.now(), cpuTime()];
  for (const item of items) next.setBinding(item);
  batches.push({ start, busy: cpuTime() - cpu, end: performance.now() });
  if (i % 1024 === 0) await setImmediate();
}
await setImmediate();
observer.disconnect();
const quiet = batches.filter(({ start, end }) => !collections.some((one) => one.start < end && one.end > start));
const longest = (list: typeof batches) => Math.max(...list.map(({ busy }) => busy)).toFixed(1);
const total = batches.reduce((sum, { busy }) => sum + busy, 0);
console.log(
  `1 000 000 bindings in batches of 128: ${(total / 1000).toFixed(1)} s in all, ${((total * 1000) / count).toFixed(2)} µs each; ` +
    `the longest batch ${longest(quiet)} ms, with garbage collections ${longest(batches)} ms (CPU time)`,
);
