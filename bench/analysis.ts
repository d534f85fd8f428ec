import { type AnalysisState, compare, excessAccess, grants, resourceFilter, whoCan } from '../dist/analysis/index.js';
import { createEvaluator, type Evaluator } from '../dist/policy/index.js';
import { spread } from './harness.ts';
import { makeData, verbs } from './policy/data.ts';

const data = makeData(10_000);

/** Adds a Deny to a policy. */
function change(evaluator: Evaluator, policy: string): void {
  const { statements = [] } = evaluator.policy(policy) ?? {};
  const deny = { effect: 'Deny', actions: ['service3:read'], resources: ['t7:p7:*'] } as const;
  const allow = { effect: 'Allow', actions: ['extra:read'], resources: ['extra:*'] } as const;
  evaluator.setPolicy(policy, { statements: [...statements, deny, allow] });
}

/** An independent state, which shares no object with another one. */
const load = (of: Evaluator): Evaluator => {
  const named = <T>(names: readonly string[], get: (name: string) => T | undefined) =>
    Object.fromEntries(names.map((name) => [name, get(name)]));
  const state = {
    policies: named(of.policies(), (name) => of.policy(name)),
    roles: named(of.roles(), (name) => of.role(name)),
    bindings: of.bindings(),
  };
  return createEvaluator(JSON.parse(JSON.stringify(state)));
};

/** Prints the CPU time of some rounds, after some that warm up, and the time that passed. */
function time(title: string, work: () => string, rounds = 15): void {
  let outcome = '';
  const passed: number[] = [];
  const busy = Array.from({ length: rounds + 3 }, () => {
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    outcome = work();
    const { user, system } = process.cpuUsage(cpu);
    passed.push(performance.now() - started);
    return (user + system) / 1_000;
  });
  const { median, p10, p90 } = spread(busy.slice(3));
  const ms = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0));
  const elapsed = `${ms(spread(passed.slice(3)).median)} ms passed`;
  console.log(
    `  ${title.padEnd(58)} ${ms(median).padStart(6)} ms CPU (${ms(p10)} to ${ms(p90)}), ${elapsed}; ${outcome}`,
  );
}

const compared = (before: AnalysisState, after: AnalysisState) => () => {
  const { gained, lost } = compare(before, after);
  const users = new Set([...gained, ...lost].flatMap((region) => region.users));
  return `${gained.length} gained, ${lost.length} lost, ${users.size} users`;
};

/** Asks both evaluators for each user, each action and one resource of each tenant and some projects. */
function naive(before: Evaluator, after: Evaluator): string {
  let [asked, found] = [0, 0];
  const actions = Array.from({ length: 20 }, (_, i) => verbs.map((verb) => `service${i}:${verb}`)).flat();
  // One user in a hundred: all of them would take minutes.
  for (const user of before.users().filter((_, i) => i % 100 === 0)) {
    for (const action of actions) {
      for (let tenant = 0; tenant < 100; tenant += 10) {
        const question = { user, action, resource: `t${tenant}:p${tenant % 50}:x` };
        if (before.isAllowed(question) !== after.isAllowed(question)) found++;
        asked++;
      }
    }
  }
  return `${asked} questions, ${found} differ`;
}

/** 1 000 policies of 20 statements, 1 000 roles, 10 000 bindings; loading does not count. */
export async function run(): Promise<void> {
  const evaluator = createEvaluator(data);
  const one = evaluator.clone();
  change(one, 'policy7');
  const all = evaluator.clone();
  for (const policy of all.policies()) change(all, policy);
  const [loaded, other, changed] = [load(evaluator), load(evaluator), load(one)];
  console.log('\ncompare: 1 000 policies, 1 000 roles, 10 000 bindings, one a user');
  time('an evaluator and its clone, one policy changed', compared(evaluator, one));
  time('two loaded states, alike', compared(loaded, other));
  time('two loaded states, one policy changed', compared(loaded, changed));
  time('an evaluator and its clone, every policy changed', compared(evaluator, all), 3);
  const many = createEvaluator(makeData(10_000, 10));
  const more = many.clone();
  change(more, 'policy7');
  time('an evaluator and its clone, ten bindings a user', compared(many, more));
  time('the naive way: 1 user of 100, 200 actions, 10 resources', () => naive(evaluator, one), 3);
  console.log('\nother questions to that evaluator');
  const question = { action: 'service3:read', resource: 't7:p7:x' };
  time('whoCan, one question', () => `${whoCan(evaluator, question).length} found`);
  time(
    'whoCan, any of service3:*',
    () => `${whoCan(evaluator, { action: 'service3:*', resource: '*' }, { match: 'any' }).length} found`,
  );
  time('excessAccess within service3:read on t7:*', () => {
    return `${excessAccess(evaluator, [], { within: { action: 'service3:read', resource: 't7:*' } }).length} found`;
  });
  time('grants of a user', () => `${grants(evaluator, { user: 'user7' }).length} regions`);
  time('resourceFilter of a user', () => resourceFilter(evaluator, { user: 'user7', action: 'service3:read' }).kind);
}
