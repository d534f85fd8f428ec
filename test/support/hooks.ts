import { expect } from 'vitest';
import { failover } from '../../src/client/failover/index.ts';
import { createPermissionStore, createSession } from '../../src/client/session/index.ts';
import { events, paginate, uploadWithProgress } from '../../src/client/stream/index.ts';
import { createPdp, createPdpClient } from '../../src/enforce/authzen/index.ts';
import { createGuard, createVerifier, verifyToken } from '../../src/enforce/guard/index.ts';
import { createReplica } from '../../src/enforce/replica/index.ts';
import { Connection, createClient, credentials } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import * as permissions from '../../src/permissions/index.ts';
import { decisionLog } from '../../src/policy/decisions/index.ts';
import { createEvaluator } from '../../src/policy/index.ts';
import { checkConformance } from '../../src/tools/conformance/index.ts';
import { url } from './option-calls.ts';

/** A use of an option that is a function, or has one, which returns what `give` returns. */
export interface Hook {
  readonly use: (give: () => never) => unknown;
  /** The kinds of results that are valid; `anything` where the result does not matter. Default none. */
  readonly accepts?: readonly string[] | 'anything';
  /** True if the rejection of a promise that is returned is the caller's own. */
  readonly isSync?: boolean;
  /** The words of the error for any other. Default: the name of the option. */
  readonly says?: RegExp;
}

/** The result does not matter, and nothing may wait for it. */
const unused = (use: Hook['use']): Hook => ({ use, accepts: 'anything', isSync: true });
/** The result does not matter; the rejection of a promise is handled. */
const ignored = (use: Hook['use']): Hook => ({ use, accepts: 'anything' });

/** A clock that is right at first, and then returns what `give` returns. */
const later = (give: () => never) => {
  let isFirst = true;
  return {
    now: () => {
      if (!isFirst) return give();
      isFirst = false;
      return Date.now();
    },
  };
};

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const now = Math.floor(Date.now() / 1_000);
const token = `${encode({ alg: 'HS256' })}.${encode({ preferred_username: 'alice', iat: now, exp: now + 3_600 })}.x`;
const published = `${encode({ alg: 'ES256' })}.${encode({ preferred_username: 'alice' })}.${'A'.repeat(86)}`;
const endpoint = `${url}/access/v1/evaluation`;
/** An answer that fits each request of these tests. */
const answer = async () =>
  Response.json({
    ...{ token, lifetime: '3600s', groups: [], decision: true },
    ...{ policy_decision_point: url, access_evaluation_endpoint: endpoint },
  });
const base = { url, fetch: answer, retry: 0 };
const minted = credentials.minted({ user: 'svc' });
const alice = { user: 'alice' };
const item = { action: 'a:b', resource: 'a:c' };
const evaluator = createEvaluator();

/** Ways to make a call with options of a connection. */
const opened: Readonly<Record<string, (options: object) => Promise<unknown>>> = {
  createClient: (options) =>
    createClient({ ...base, ...options })
      .route('x')
      .get(),
  Connection: (options) => new Connection({ ...base, ...options }).send({ method: 'GET', path: '/x' }),
  createPdpClient: (options) => createPdpClient({ ...base, ...options }).evaluate({ ...alice, ...item }),
};
const senders: typeof opened = {
  ...opened,
  createSession: (options) => createSession({ ...base, ...options }).signIn({ username: 'alice', password: '' }),
};
const derived: typeof opened = {
  'connection.with': (options) => new Connection(base).with(options).send({ method: 'GET', path: '/x' }),
  'client.with': (options) => createClient(base).with(options).route('x').get(),
};

/** The same hook for each of some calls. */
const each = (ways: typeof senders, option: string, hook: (way: (typeof senders)[string]) => Hook) =>
  Object.fromEntries(Object.entries(ways).map(([name, way]) => [`${name} ${option}`, hook(way)]));

/** A result that is not a response, or the text of another failure. */
const noResponse = /fetch or transport: expected a new Response|failed/;

const connections: Readonly<Record<string, Hook>> = {
  ...each({ ...senders, ...derived }, 'observe', (way) => ignored((observe) => way({ observe }))),
  ...each({ ...senders, ...derived }, 'headers', (way) => ({
    use: (headers) => way({ headers }),
    accepts: ['{}'],
    says: /headers/,
  })),
  ...each({ ...opened, ...derived }, 'credentials', (way) => ({
    use: (authorize) => way({ credentials: { authorize } }),
    accepts: ['undefined', 'text', 'promise'],
    says: /authorize\(\) gave an invalid header|asking for a token failed/,
  })),
  ...each(senders, 'fetch', (way) => ({ use: (fetch) => way({ fetch }), says: noResponse })),
  ...each(senders, 'transport', (way) => ({
    use: (send) => way({ fetch: undefined, transport: { send } }),
    says: noResponse,
  })),
  ...each(senders, 'clock', (way) => ({ use: (now) => way({ clock: { now } }) })),
  ...each(opened, 'clock.later', (way) => ({
    use: (now) => way({ clock: later(now), credentials: minted }),
    says: /clock\.now\(\): expected a finite number/,
  })),
  ...each(derived, 'waitUntil', (way) => ignored((waitUntil) => way({ waitUntil, credentials: minted }))),
  'createSession clock.later': {
    use: async (now) => createSession({ ...base, clock: later(now) }).signIn({ username: 'alice', password: '' }),
  },
};

/** Asks a guard; a refusal is thrown: of an answer 503 the cause, of any other its status. */
async function check(source: unknown, options: object, times = 1): Promise<void> {
  // The cast: a source that returns anything.
  const guard = createGuard(source as never, { authenticate: async () => alice, ...options });
  for (let i = 0; i < times; i++) {
    const access = await guard.check({ headers: { authorization: `Bearer ${token}` } }, item);
    if (access.status === 503) throw access.cause;
    expect(access.status).toBe(403);
  }
}

/** Asks a PDP, and returns the status of its answer; the error of a 5xx is thrown. */
async function ask(path: string, body: object, options: object): Promise<number> {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const pdp = createPdp(evaluator, { url, authenticate: 'none', onError, state: evaluator, ...options } as never);
  const headers = { 'content-type': 'application/json' };
  const { status } = await pdp(new Request(url + path, { method: 'POST', headers, body: JSON.stringify(body) }));
  if (status >= 500) throw errors[0] ?? new Error('no error was told');
  return status;
}
const entities = { subject: { type: 'user', id: 'alice' }, resource: { type: 'a', id: 'c' }, action: { name: 'b' } };
const evaluate = (options: object) => ask('/access/v1/evaluation', entities, options);
const search = (options: object) =>
  ask('/access/v1/search/subject', { ...entities, subject: { type: 'user' }, page: { limit: 1 } }, options);
const many = createEvaluator({
  policies: { p: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } },
  roles: { r: { policies: ['p'] } },
  bindings: ['a', 'b'].map((user) => ({
    user,
    role: 'r',
    scope: { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] },
  })),
});

const deciding: Readonly<Record<string, Hook>> = {
  'createGuard authenticate': {
    use: (authenticate) => check(evaluator, { authenticate }).catch(only401),
    accepts: ['{}'],
  },
  'createGuard onDecision': ignored((onDecision) => check(evaluator, { onDecision })),
  'createGuard onAnswer': ignored((onAnswer) => check(evaluator, { onAnswer })),
  'createGuard onShadow': ignored((onShadow) => check(evaluator, { shadow: many, onShadow })),
  'createGuard shadow': ignored((evaluate) => check(evaluator, { shadow: { evaluate, evaluateMany: evaluate } })),
  'createGuard clock': { use: (now) => check(evaluator, { clock: { now } }) },
  'createGuard clock.later': {
    use: (now) => check(evaluator, { clock: later(now), cache: { ttl: '5s' } }),
  },
  'createGuard source': {
    use: (evaluate) => check({ evaluate, evaluateMany: evaluate }, {}),
    accepts: ['{}'],
    says: /decider/,
  },
  'createPdp authenticate': ignored(async (give) => {
    const given: unknown = give();
    const status = await evaluate({ authenticate: () => given }).catch(() => 500);
    expect(status).toBe(given === true ? 200 : given instanceof Promise ? status : 401);
    if (given !== true) expect(status).not.toBe(200);
  }),
  'createPdp mapping': { use: (mapping) => evaluate({ mapping }), accepts: ['undefined'] },
  'createPdp state.evaluator': {
    use: (evaluator) => search({ state: { evaluator } }),
    says: /state: expected policies/,
    accepts: ['{}'],
  },
  'createPdp candidates.subjects': {
    use: (subjects) => search({ candidates: { subjects } }),
    accepts: ['[]'],
  },
  'createPdp onError': ignored((onError) => evaluate({ onError })),
  'createPdp onDecision': ignored((onDecision) => evaluate({ onDecision })),
  'createPdp clock': { use: (now) => evaluate({ clock: { now } }) },
  'createPdp clock.later': { use: (now) => search({ clock: later(now), state: many }) },
  'createPdpClient mapping': {
    use: (mapping) => createPdpClient({ ...base, mapping }).evaluate({ ...alice, ...item }),
    accepts: ['undefined'],
  },
  'createClient replica': ignored(async (give) => {
    const replica = { evaluate: give, evaluateMany: give };
    const asked = createClient({ ...base, replica }).authorization.isAllowed({ ...alice, ...item });
    expect(await asked.catch(() => false)).not.toBe(true);
  }),
  'createClient onDecision': ignored((onDecision) =>
    createClient({ ...base, replica: evaluator, onDecision }).authorization.isAllowed({ ...alice, ...item }),
  ),
};

function only401(error: unknown): void {
  // The failed assertion of `check` has the status.
  if (!/401/.test(String(error))) throw error;
}

const read = (read: () => never) => permissions.readPermissions('p.yaml', { read });
const superuser = async () => {
  const mock = await createMock();
  return createClient({ ...mock.connection, credentials: credentials.bearer(await mock.tokens.issue({ user: null })) });
};
const keys = { authentication: { keys: async () => ({ keys: [] as string[] }) } };
const secret = 'a secret of some length, for tests';
const plan = permissions.plan(
  { policies: new Map(), roles: new Map(), bindings: [], users: 'all' },
  { policies: new Map([['p', { statements: [] }]]), roles: new Map(), bindings: [], users: 'all' },
);
const verifyWith = (options: object) => verifyToken(token, options as never);
const replica = (options: object) =>
  createReplica({ transport: { open: never, close: async () => undefined }, ...options } as never);
async function* never(): AsyncGenerator<never> {
  await new Promise(() => undefined);
}
const authenticateWith = async (options: object) => {
  const opened = replica(options);
  try {
    await opened.authenticate(token);
  } finally {
    await opened.close();
  }
};
const log = async (options: object): Promise<number> => {
  const lines = decisionLog({ write: () => undefined, ...options });
  lines.record({ subject: alice, ...item, effect: 'Allow' });
  await lines.close();
  return lines.dropped;
};
/** The second address is asked after the first has failed, which needs the clock. */
const moving = (clock: object) => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const send = async (to: string) => (to.startsWith('http://a.') ? Promise.reject(refused) : answer());
  const transport = failover(['http://a.example', 'http://b.example'], { clock, transport: { send } } as never);
  const route = createClient({ url: 'http://a.example', transport, retry: 0 }).route('x');
  return route.get().then(() => route.get());
};

const others: Readonly<Record<string, Hook>> = {
  'route.with schema': {
    use: (validate) =>
      createClient(base)
        .route('x')
        .with({ schema: { '~standard': { version: 1, vendor: 'x', validate } } })
        .get(),
    says: /schema|does not fit/i,
  },
  'route.request schema': {
    use: (validate) =>
      createClient(base)
        .route('x')
        .request({ method: 'GET', schema: { '~standard': { version: 1, vendor: 'x', validate } } }),
    says: /schema|does not fit/i,
  },
  'mock.platformLog write': ignored(async (write) => {
    const mock = await createMock({ fidelity: 'sidecar' });
    mock.platformLog({ write, level: 'debug' });
    await createClient({ ...mock.connection, credentials: credentials.bearer(await mock.tokens.issue()) })
      .route('x')
      .get()
      .catch(() => undefined);
  }),
  'readPermissions read': { use: read, says: /p\.yaml/ },
  'readPermissions realPath': {
    use: (realPath) => permissions.readPermissions('p.yaml', { read: () => 'include: [q.yaml]', realPath }),
    says: /p\.yaml|realPath/,
  },
  'lintPermissions read': {
    use: (read) => permissions.lintPermissions('p.yaml', { read }),
    accepts: ['text', 'promise'],
    says: /p\.yaml/,
  },
  'lintPermissions realPath': {
    use: (realPath) => permissions.lintPermissions('p.yaml', { read: () => '', realPath }),
    accepts: ['text', 'promise'],
  },
  'readHolds read': { use: (read) => permissions.readHolds('p.holds.yaml', { read }), says: /p\.holds\.yaml/ },
  'readTests read': { use: (read) => permissions.readTests('p.test.yaml', { read }), says: /p\.test\.yaml/ },
  'readState onProgress': ignored(async (onProgress) =>
    permissions.readState(await superuser(), { users: [], onProgress }),
  ),
  'apply onProgress': ignored(async (onProgress) => permissions.apply(await superuser(), plan, { onProgress })),
  'createReplica authenticate': {
    use: (authenticate) => authenticateWith({ authenticate }),
    says: /authenticate|canary|valid token|superuser/,
  },
  'createReplica tokens.client': {
    use: (validate) => authenticateWith({ tokens: { client: { authentication: { validate } } } }),
    says: /authenticate|canary|valid token|superuser/,
  },
  'createReplica clock': { use: (now) => replica({ clock: { now } }) },
  'createVerifier client.authentication.keys': {
    use: (keys) => createVerifier({ client: { authentication: { keys } } }).ready(),
    says: /client/,
  },
  'verifyToken client.authentication.keys': {
    use: (keys) => verifyToken(published, { client: { authentication: { keys } } } as never),
    says: /client/,
  },
  'createVerifier clock': { use: (now) => createVerifier({ client: keys, clock: { now } }) },
  'createVerifier clock.later': { use: (now) => createVerifier({ secret, clock: later(now) })(token) },
  'verifyToken clock': { use: (now) => verifyWith({ secret, clock: { now } }) },
  'verifyToken clock.later': { use: (now) => verifyWith({ secret, clock: later(now) }) },
  'decisionLog write': ignored((write) => log({ write })),
  'decisionLog onError': ignored((onError) => log({ write: () => Promise.reject(new Error('full')), onError })),
  'decisionLog clock': { use: (now) => log({ clock: { now } }) },
  'decisionLog clock.later': unused(async (now) => {
    expect(await log({ clock: later(now) })).toBe(1);
  }),
  'failover clock': { use: (now) => moving({ now }) },
  'failover clock.later': { use: (now) => moving(later(now)) },
  'failover transport': {
    use: (send) =>
      createClient({ ...base, fetch: undefined, transport: failover([url], { transport: { send } }) })
        .route('x')
        .get(),
    says: noResponse,
  },
  'checkConformance clock': {
    use: (now) => checkConformance(createClient(base), { clock: { now, sleep: async () => undefined } }),
  },
  'checkConformance clock.later': {
    use: (now) => checkConformance(createClient(base), { clock: { ...later(now), sleep: async () => undefined } }),
  },
  'paginate next': {
    use: async (next) => {
      for await (const _ of paginate(createClient(base).route('x'), { next })) break;
      const pages = paginate(createClient(base).route('x'), { next });
      await pages.next();
      await pages.next();
    },
    accepts: ['undefined', 'null'],
    says: /next|qs/,
  },
  'events resume': {
    use: (resume) => events(undefined, { resume, retryMs: 0 }).next(),
    accepts: ['undefined'],
    says: /^body: expected a stream/,
  },
  'uploadWithProgress onProgress': ignored((onProgress) =>
    uploadWithProgress(createClient(base).route('x'), '', new Blob(['x']), { onProgress }),
  ),
  'createSession store.get': ignored((get) =>
    createSession({ ...base, store: { get, set: () => undefined, delete: () => undefined } }).restore(),
  ),
  'createPermissionStore ask': ignored(async (evaluateMany) => {
    const store = createPermissionStore({ ask: { authorization: { evaluateMany } } } as never);
    await store.ready([item]).catch(() => undefined);
    expect(store.can(item.action, item.resource)).not.toBe(true);
  }),
  'createPermissionStore session': unused((on) =>
    createPermissionStore({ ask: createClient(base), session: { on } } as never),
  ),
};

export const hooks: Readonly<Record<string, Hook>> = { ...connections, ...deciding, ...others };
