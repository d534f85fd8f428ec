// A separate process with --expose-gc: the memory that the evaluator keeps for questions, at most and at the end.
import { createEvaluator, type EvaluatorQuestion, type PolicyState } from '../../dist/policy/index.js';

const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const names = (count: number) => Array.from({ length: count }, (_, i) => `role${i}`);
const rolesNamed = (list: readonly string[]) => new Map(list.map((name) => [name, { policies: ['p'] }]));

function held(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / (1024 * 1024);
}

function measure(title: string, state: PolicyState, count: number, ask: (n: number) => EvaluatorQuestion): void {
  const evaluator = createEvaluator({ policies: { p: everywhere }, ...state });
  const before = held();
  let most = 0;
  for (let n = 0; n < count; n++) {
    evaluator.evaluate(ask(n));
    if ((n + 1) % Math.ceil(count / 25) === 0) most = Math.max(most, held() - before);
  }
  console.log(`  ${title}: ${most.toFixed(1)} MiB at most, ${(held() - before).toFixed(1)} MiB at the end`);
}

console.log('memory of what is remembered');
const one = { roles: rolesNamed(['r']), bindings: [{ user: 'u', role: 'r', scope: everywhere }] };
const long = 'x'.repeat(1024 * 1024);
measure('400 actions of 1 MB', one, 400, (n) => ({ user: 'u', action: `a:${n}${long}`, resource: `${n}${long}` }));
const many = names(20_000);
measure('20 000 roles with one question each', { roles: rolesNamed(many) }, 20_000, (n) => ({
  roles: [`role${n}`],
  action: `a:${n % 1000}`,
  resource: 'x',
}));
measure('5 000 roles × 2 000 actions', { roles: rolesNamed(names(5_000)) }, 10_000_000, (n) => ({
  roles: [`role${n % 5_000}`],
  action: `a:${Math.floor(n / 5_000)}`,
  resource: 'x',
}));
const users = Array.from({ length: 100_000 }, (_, i) => ({
  user: `u${i}`,
  role: `role${i % 1000}`,
  scope: everywhere,
}));
measure('100 000 users × 10 actions', { roles: rolesNamed(names(1_000)), bindings: users }, 1_000_000, (n) => ({
  user: `u${n % 100_000}`,
  action: `a:${Math.floor(n / 100_000)}`,
  resource: 'x',
}));
