// Permissions: plans of 1 000 policies, 1 000 roles and 10 000 bindings beside `compare` of the same two states, and
// `apply` over a port beside raw fetch making the same calls, both 16 at once; plans of many users with projects of
// their own, each in a process of its own.
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compare as compareStates } from '../dist/analysis/index.js';
import { createClient, type Policy } from '../dist/index.js';
import { apply, type PermissionsState, type Plan, plan } from '../dist/permissions/index.js';
import { createEvaluator } from '../dist/policy/index.js';
import { compare, repeat, report } from './harness.ts';
import { makeData } from './policy/data.ts';

const manage = { policies: ['*'], roles: ['*'], users: ['*'] };
const empty: PermissionsState = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' };
const planOf = (from: PermissionsState, to: PermissionsState): Plan => plan(from, to, { prune: true, manage });

/** The state of `bench/policy`, with the first of the 20 statements of each policy. */
function makeState(bindings: number, statements: number): PermissionsState {
  const { policies, ...rest } = makeData(bindings);
  const cut = [...policies].map(([name, policy]) => [name, { statements: policy.statements.slice(0, statements) }]);
  return { ...rest, policies: new Map(cut as [string, Policy][]), users: 'all' };
}

/** Adds statements to every n-th policy. */
function change(state: PermissionsState, every: number): PermissionsState {
  const extra = [
    { effect: 'Deny', actions: ['service3:read'], resources: ['t7:p7:*'] },
    { effect: 'Allow', actions: ['extra:read'], resources: ['extra:*'] },
  ] as const;
  const policies = [...state.policies].map(
    ([name, policy], i) => [name, i % every === 0 ? { statements: [...policy.statements, ...extra] } : policy] as const,
  );
  return { ...state, policies: new Map(policies) };
}

/** Plans a change, with as many changes as it prints, beside the comparison alone. */
async function plans(title: string, from: PermissionsState, to: PermissionsState): Promise<void> {
  const { changes, access } = planOf(from, to);
  const contestants = [
    { name: 'two evaluators and compare', run: () => void compareStates(createEvaluator(from), createEvaluator(to)) },
    { name: 'plan', run: () => void planOf(from, to) },
  ];
  const regions = access.gained.length + access.lost.length;
  const measured = await compare(contestants, { operations: 1, rounds: 9, warmup: 2 });
  report(`${title}: ${changes.length} changes, ${regions} regions of access`, measured);
  for (const { name, rate } of measured) console.log(`  ${name}: ${(1_000 / rate.median).toFixed(0)} ms`);
}

type Sent = readonly [url: string, request: RequestInit];

/** Applies 100 policies, 100 roles and 400 bindings over a port, and deletes them again. */
async function applies(): Promise<void> {
  const child = fork(new URL('./permissions/server.ts', import.meta.url));
  // The cast: bench/permissions/server.ts sends its port as its message.
  const [port] = (await once(child, 'message')) as [number];
  try {
    const sent: Sent[] = [];
    let records = true;
    const send = (url: string, request: RequestInit) => {
      if (records) sent.push([url, { method: request.method, headers: request.headers, body: request.body }] as Sent);
      return fetch(url, request);
    };
    const client = createClient({ url: `http://127.0.0.1:${port}`, transport: { send } });
    const all = makeState(400, 4);
    const few = <T>(map: ReadonlyMap<string, T>) => new Map([...map].slice(0, 100));
    const roles = [...few(all.roles).keys()];
    const bindings = all.bindings.map((one, i) => ({ ...one, role: roles[i % 100] ?? '' }));
    const some = { ...all, policies: few(all.policies), roles: few(all.roles), bindings };
    const [there, back] = [planOf(empty, some), planOf(some, empty)];
    const both = async () => {
      for (const one of [there, back]) await apply(client, one, { settleMs: 0, concurrency: 16 });
    };
    await both();
    records = false;
    // The stages run into each other here, so that a few calls may be refused; every answer is read.
    const raw = async () => {
      const left = sent.values();
      await repeat(sent.length, 16, async () => {
        const { value } = left.next();
        if (value === undefined) return;
        const response = await fetch(...value);
        await response.text();
        if (response.status >= 500) throw new Error(`raw fetch: ${response.status}`);
      });
    };
    const measured = await compare(
      [
        { name: 'raw fetch, the same calls', run: raw },
        { name: 'apply', run: both },
      ],
      { operations: sent.length, rounds: 15, warmup: 3 },
    );
    report(`Over a port, 16 at once: ${sent.length} calls, two thirds of them reads`, measured);
  } finally {
    child.disconnect();
  }
}

/** Plans for many users, each inside projects of their own. */
async function sizes(): Promise<void> {
  const script = fileURLToPath(new URL('./permissions/sizes.ts', import.meta.url));
  console.log(
    '\nUsers with one role of 20 policies, each inside projects of their own; a tenth of the statements deny',
  );
  for (const [users, projects, statements] of [
    [300, 20, 20],
    [2_000, 20, 5],
    [10_000, 3, 5],
  ]) {
    console.log(`  ${users} users with ${projects} projects each, policies of ${statements} statements`);
    for (const changed of ['everything', 'one policy', 'all policies', 'nothing']) {
      const { stdout } = await promisify(execFile)(process.execPath, [
        script,
        `${users}`,
        `${projects}`,
        `${statements}`,
        changed,
      ]);
      console.log(`    ${`${changed} changed:`.padEnd(22)} ${stdout.trim()}`);
    }
  }
}

export async function run(): Promise<void> {
  for (const statements of [4, 20]) {
    const state = makeState(10_000, statements);
    const title = (what: string) => `1 000 policies of ${statements} statements, 1 000 roles, 10 000 bindings, ${what}`;
    await plans(title('nothing changed'), state, { ...state });
    await plans(title('one policy in ten changed'), state, change(state, 10));
    await plans(title('from nothing'), empty, state);
  }
  await applies();
  await sizes();
}
