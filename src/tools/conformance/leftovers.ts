import { isObject, isTexts } from '../../base/lib/values.js';
import { as, permissions } from './checks/check.js';
import { markerPath, usersOfRun } from './checks/writing.js';
import { mostBindings, mostNames } from './known-state.js';
import type { ConformanceClock } from './pace.js';
import type { Preparation } from './preparation.js';
import { fill, type Texts } from './question-exchange.js';
import type { Ask, CheckedDeployment } from './side.js';

/** Names of runs: the prefix, and eight hexadecimal digits. */
const runName = /^(arango-services-conformance-[\da-f]{8})(?:-|$)/;

/** A run that writes changes its first policy this often, so that another one can tell that it is under way. */
const beatMs = 2_000;

/** A run watches the items of another one for this long, and removes them if their content did not change. */
const watchMs = 10_000;

/** The first policy of a run: nothing refers to it, and its content differs each time. */
export const marker = (beat: number) => ({
  path: markerPath,
  headers: as('good'),
  body: { item: { statements: [{ effect: 'Deny', actions: ['verify:beat'], resources: [String(beat)] }] } },
});

/** Asks questions of a run that writes, and shows other runs that it is under way. */
export function beating(ask: Ask, texts: Texts, clock: ConformanceClock): Ask {
  let last = clock.now();
  let beat = 0;
  return async (request, sending) => {
    if (Math.abs(clock.now() - last) >= beatMs) {
      last = clock.now();
      await ask(fill({ method: 'PUT', ...marker(++beat) }, texts));
    }
    return ask(request, sending);
  };
}

/** Names of items of a deployment. */
type Names = { readonly policies: readonly string[]; readonly roles: readonly string[] };

/** Removes everything below the name of a run; returns the names that stay. */
async function removeRun(ask: Ask, texts: Texts, run: string, { policies, roles }: Names): Promise<string[]> {
  const left: string[] = [];
  const headers = fill(as('good'), texts);
  const attempt = async (name: string, path: string) => {
    const status = await ask({ method: 'DELETE', path, headers }).then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status !== 200 && status !== 404) left.push(name);
  };
  for (const end of usersOfRun) {
    const user = encodeURIComponent(run + end);
    const path = `${permissions}/user/${user}/role`;
    const answer = await ask({ method: 'GET', path, headers }).catch(() => undefined);
    const bindings = isObject(answer?.body) && Array.isArray(answer.body.bindings) ? answer.body.bindings : [];
    for (const { role } of bindings.slice(0, mostBindings) as { role?: unknown }[]) {
      await attempt(`${run}${end}`, `${path}/${encodeURIComponent(String(role))}`);
    }
  }
  const own = (names: readonly string[]) => names.filter((name) => name !== run && name.startsWith(`${run}-`));
  for (const name of own(roles)) await attempt(name, `${permissions}/role/${encodeURIComponent(name)}`);
  for (const name of own(policies)) await attempt(name, `${permissions}/policy/${encodeURIComponent(name)}`);
  if (left.length === 0) await attempt(run, `${permissions}/policy/${run}`);
  else left.push(run);
  return left;
}

const pageSize = 500;

/** The names of a kind that belong to runs. */
async function namesOfKind(ask: Ask, texts: Texts, kind: 'policy' | 'role'): Promise<string[]> {
  const allNames = new Set<string>();
  for (let page = 1; ; page++) {
    const path = `${permissions}/${kind}?page=${page}&itemsPerPage=${pageSize}`;
    const { body } = await ask({ method: 'GET', path, headers: fill(as('good'), texts) });
    const names = isObject(body) && isTexts(body.names) ? body.names : [];
    const before = allNames.size;
    for (const name of names) allNames.add(name);
    // A deployment that ignores the number of the page, or makes up names, would never have a last page.
    if (names.length < pageSize || allNames.size === before || allNames.size > mostNames)
      return [...allNames].filter((name) => runName.test(name));
  }
}

/** The names that belong to runs. */
const namesOf = async (ask: Ask, texts: Texts): Promise<Names> => ({
  policies: await namesOfKind(ask, texts, 'policy'),
  roles: await namesOfKind(ask, texts, 'role'),
});

/** Removes what a run has written; returns the names that stay. */
export async function removeOwn(ask: Ask, texts: Texts, run: string): Promise<string[]> {
  try {
    return await removeRun(ask, texts, run, await namesOf(ask, texts));
  } catch {
    return [run];
  }
}

/** Finds the runs that are under way: those whose first policy changes. */
async function findAlive(
  ask: Ask,
  texts: Texts,
  runs: ReadonlySet<string>,
  clock: ConformanceClock,
): Promise<Set<string>> {
  const headers = fill(as('good'), texts);
  const read = async () => {
    const indexes = new Map<string, unknown>();
    for (const run of runs) {
      const { status, body } = await ask({ method: 'GET', path: `${permissions}/policy/${run}`, headers });
      if (status === 200 && isObject(body)) indexes.set(run, body.index);
    }
    return indexes;
  };
  const before = await read();
  if (before.size === 0) return new Set();
  await clock.sleep(watchMs);
  const after = await read();
  // Names that have disappeared meanwhile were removed by their own run.
  return new Set([...before].flatMap(([run, index]) => (after.get(run) === index ? [] : run)));
}

/**
 * Removes what stopped runs have left, if the permissions can be reached with a token.
 * @returns the names of runs that are under way, of which nothing is removed.
 */
export async function removeLeft(
  { ask, unreachable }: CheckedDeployment,
  { texts: { deployment: texts } }: Preparation,
  clock: ConformanceClock,
): Promise<readonly string[]> {
  if (!texts.has('good') || unreachable.has('management')) return [];
  try {
    const names = await namesOf(ask, texts);
    const runs = new Set([...names.policies, ...names.roles].map((name) => runName.exec(name)?.[1] ?? ''));
    const alive = await findAlive(ask, texts, runs, clock);
    for (const run of runs) if (!alive.has(run)) await removeRun(ask, texts, run, names);
    return [...alive];
  } catch {
    // The next run tries again.
    return [];
  }
}
