import { isObject } from '../../base/lib/values.js';
import { scopedController, sleep } from '../../base/lib/wait.js';
import { mockPool } from '../../mock/adapters/grpc/mock-pool.js';
import type { Policy, Role } from '../../policy/index.js';
import {
  type PoolBinding,
  type PoolCall,
  type PoolItem,
  type PoolKind,
  type PoolTransport,
  poolKinds,
  poolMethods,
} from '../../policy/pool/pool-items.js';
import type { KnownState } from './checks/state-checks.js';
import { compareAnswers } from './compare-answers.js';
import type { CheckFinding, RunParts } from './finding.js';
import { emptyState } from './known-state.js';
import type { Pace } from './pace.js';
import type { SentenceName } from './sentences.js';

/** The messages of a stream until it ended, failed, or had nothing new. */
interface Heard {
  readonly messages: readonly (readonly PoolItem[])[];
  readonly error: { readonly code: unknown; readonly message: unknown } | undefined;
}

/** The longest wait for a message: the services look for changes once a second. */
const silenceMs = 10_000;
const outOfRange = 11;

/** Reads a stream; one of changes until its first message without items. */
export async function listen(
  transport: PoolTransport,
  call: PoolCall,
  token: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Heard> {
  const messages: PoolItem[][] = [];
  using listening = scopedController(...(signal ? [signal] : []));
  void sleep(silenceMs, listening).then(() => listening.abort());
  try {
    const authorization = token === undefined ? '' : `bearer ${token}`;
    for await (const items of transport.open(call, authorization, listening.signal)) {
      const message = [...items];
      if (call.changes !== undefined && message.length === 0) break;
      messages.push(message);
    }
  } catch (error) {
    signal?.throwIfAborted();
    // The cast: errors of transports have these fields, and any other error has none of them.
    const { code, rawMessage, message } = error as { code?: unknown; rawMessage?: unknown; message?: unknown };
    return { messages, error: { code, message: rawMessage ?? message } };
  } finally {
    listening.abort();
  }
  return { messages, error: undefined };
}

/** A value as on the wire: empty values, null and the default effect are left out. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(
    ([, field]) =>
      field !== '' &&
      field !== 'Deny' &&
      field !== null &&
      field !== undefined &&
      !(Array.isArray(field) && field.length === 0),
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]));
}

const repeated = (names: readonly string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index);

const isAscending = (items: readonly PoolItem[], step?: 1): boolean =>
  items.every(({ index }, i) => {
    const before = items[i - 1]?.index;
    return before === undefined || (step === undefined ? index > before : index === before + step);
  });

/** The comparable part of a stream of the state. Its indexes depend on the history of the deployment. */
function describeState({ messages, error }: Heard): object {
  const items = messages.flat();
  return {
    error,
    messages: messages.map(({ length }) => length),
    ascending: isAscending(items),
    repeated: repeated(items.map(({ name }) => name)),
    items: Object.fromEntries(items.map(({ name, item }) => [name, plain(item)])),
  };
}

/** The comparable part of a stream of changes: is it complete, and does it lead to the state? */
function describeChanges({ messages, error }: Heard, state: Heard): object {
  const items = messages.flat();
  const last = new Map(items.map(({ name, item }) => [name, plain(item)]));
  const now = state.messages.flat().filter(({ index }) => index >= (items[0]?.index ?? 0));
  return {
    error,
    largest: Math.max(0, ...messages.map(({ length }) => length)) <= 128,
    contiguous: isAscending(items, 1),
    forgotten: now.filter(({ name }) => !last.has(name)).map(({ name }) => name),
    stale: now
      .filter(({ name, item }) => JSON.stringify(last.get(name)) !== JSON.stringify(plain(item)))
      .map(({ name }) => name),
  };
}

/** The bindings of a stream, whose names are `user:role` or `group:role`. An item that is repeated counts once. */
function readBindings(items: readonly PoolItem[]): { owner: string; role: string; scope: Policy | null }[] {
  return [...new Map(items.map((item) => [item.name, item])).values()].flatMap(({ name, item }) => {
    // The cast: the items of these streams are bindings.
    const { role, scope } = (item ?? { role: '', scope: null }) as PoolBinding;
    const owner = name.endsWith(`:${role}`) ? name.slice(0, -role.length - 1) : '';
    return owner === '' || role === '' ? [] : [{ owner, role, scope }];
  });
}

/** Reads the current state from its streams; undefined if one of them fails. */
export async function readPoolState(
  transport: PoolTransport,
  token: string,
  pace: Pace,
  signal: AbortSignal | undefined,
): Promise<KnownState | undefined> {
  const read = async (kind: PoolKind) => {
    await pace.turn(signal);
    const { messages, error } = await listen(transport, { kind }, token, signal);
    return error === undefined ? messages.flat() : undefined;
  };
  // The casts: each stream has the items of its kind.
  const named = <T>(items: readonly PoolItem[]) => new Map(items.map(({ name, item }) => [name, item as T] as const));
  const [policies, roles, bindings] = [await read('policies'), await read('roles'), await read('bindings')];
  if (!policies || !roles || !bindings) return undefined;
  // A service that does not have this stream has no bindings of groups.
  const groups = (await read('groupBindings')) ?? [];
  return {
    policies: named<Policy>(policies),
    roles: named<Role>(roles),
    bindings: readBindings(bindings).map(({ owner, ...rest }) => ({ user: owner, ...rest })),
    groupBindings: readBindings(groups).map(({ owner, ...rest }) => ({ group: owner, ...rest })),
  };
}

/** One of the two sides: a transport, and its tokens. */
interface Side {
  readonly transport: PoolTransport;
  readonly texts: ReadonlyMap<string, string>;
  readonly turn: () => Promise<void>;
}

/** Compares the streams of a deployment with those of a mock that has the same state. */
export async function streamFindings(run: RunParts, transport: PoolTransport, pace: Pace): Promise<CheckFinding[]> {
  const { preparation, fitting, settings, signal, state } = run;
  const { read: first } = poolMethods.policies;
  const untried = (why: string): CheckFinding[] => [{ name: `streams/${first}`, says: 'poolState', why }];
  if (!preparation.texts.deployment.has('good')) return untried(preparation.withoutGood ?? 'there is no token');
  if (state === emptyState) return untried('the permissions cannot be read');
  const mock = await fitting.mock(settings);
  if (mock === undefined) return [];
  await using _open = mock;
  const { deployment, mock: mocked } = preparation.texts;
  const ours: Side = { transport: mockPool(mock), texts: mocked, turn: async () => {} };
  const theirs: Side = { transport, texts: deployment, turn: () => pace.turn(signal) };
  const findings: CheckFinding[] = [];
  const heard = async ({ transport: pool, texts, turn }: Side, call: PoolCall, token?: string): Promise<Heard> => {
    await turn();
    return listen(pool, call, token === undefined ? undefined : texts.get(token), signal);
  };
  const compare = (name: string, says: SentenceName, [expected, observed]: readonly [object, object]) => {
    const parts = compareAnswers({ status: 0, body: expected }, { status: 0, body: observed });
    // The name begins with that of the method.
    const question = name.replace(/\/.*/, '');
    findings.push({ name: `streams/${name}`, says, parts: parts.map((part) => ({ ...part, question })) });
  };
  const both = async <T>(ask: (side: Side) => Promise<T>): Promise<[T, T]> => Promise.all([ask(ours), ask(theirs)]);
  try {
    for (const kind of poolKinds) {
      const { read, changes } = poolMethods[kind];
      const [expected, observed] = await both((side) => heard(side, { kind }, 'good'));
      compare(read, 'poolState', [describeState(expected), describeState(observed)]);
      for (const token of [undefined, 'foreign']) {
        const answers = await both(async (side) => describeState(await heard(side, { kind }, token)));
        compare(`${read}/${token ?? 'no-token'}`, 'poolTokens', answers);
      }
      const followed = await both((side) => follow(side, kind, side === ours ? expected : observed, heard));
      compare(changes, 'poolChanges', followed);
      if (deployment.has('user')) {
        const call = { kind, changes: { start: 0 } };
        const denied = await both(async (side) => ({ error: (await heard(side, call, 'user')).error }));
        compare(`${changes}/user`, 'poolPermission', denied);
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
    findings.push({ name: 'streams', says: 'poolState', why: 'the run was stopped' });
  }
  return findings;
}

/** Follows the changes from the beginning, or from the last one if the history is not kept that long. */
async function follow(
  side: Side,
  kind: PoolKind,
  state: Heard,
  heard: (side: Side, call: PoolCall, token?: string) => Promise<Heard>,
): Promise<object> {
  const all = await heard(side, { kind, changes: { start: 0 } }, 'good');
  if (all.error?.code !== outOfRange) return describeChanges(all, state);
  const newest = Math.max(...state.messages.flat().map(({ index }) => index));
  return describeChanges(await heard(side, { kind, changes: { start: newest - 1 } }, 'good'), state);
}
