import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { sourceOf } from '../scripts/lib/package.ts';
import { failover } from '../src/client/failover/index.ts';
import { nodeTransport, superuser } from '../src/client/node/index.ts';
import { allowedOperations } from '../src/client/openapi/index.ts';
import { createRouteClient } from '../src/client/routes.ts';
import { createPermissionStore, createSession } from '../src/client/session/index.ts';
import { events, lines, paginate, uploadWithProgress } from '../src/client/stream/index.ts';
import { listen, playback } from '../src/console/mock/node.ts';
import * as authzen from '../src/enforce/authzen/index.ts';
import { createGuard, permissionsHandler } from '../src/enforce/guard/index.ts';
import { createReplica, poolTransport } from '../src/enforce/replica/index.ts';
import { createVerifier, verifyToken } from '../src/enforce/token/index.ts';
import { Connection, createClient, credentials, isArangoServicesError } from '../src/index.ts';
import { listenGrpc } from '../src/mock/adapters/grpc/index.ts';
import { handlers } from '../src/mock/adapters/msw.ts';
import { decisionsReporter } from '../src/mock/adapters/node/vitest/index.ts';
import { createMock } from '../src/mock/index.ts';
import * as permissions from '../src/permissions/index.ts';
import { catalog, statement } from '../src/policy/analysis/catalog/index.ts';
import * as analysis from '../src/policy/analysis/index.ts';
import { decisionLog, readDecisions } from '../src/policy/decisions/index.ts';
import { createEvaluator, lint } from '../src/policy/index.ts';
import { checkConformance } from '../src/tools/conformance/index.ts';

// One wording for one mistake, walked over every function and method that takes options: whatever is passed, the error
// names the option, says what is accepted, and what came instead.

const url = 'http://localhost:8529';
const mock = await createMock();
const client = createClient(mock.connection);
const route = client.route('x');
const evaluator = createEvaluator();
const state = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' } as const;
const question = { user: 'alice', action: 'a:b', resource: '' };
const folderState = await permissions.readPermissions('permissions.yaml', { read: () => '' });
const document = { openapi: '3.1.0', paths: {} };
const guard = createGuard(client);

/** Calls by name; each passes what it is given as options. The casts: anything. */
const calls: Readonly<Record<string, (options: never) => unknown>> = {
  createClient: (options) => createClient(options),
  createRouteClient: (options) => createRouteClient(options),
  Connection: (options) => new Connection(options),
  'connection.with': (options) => new Connection({ url }).with(options),
  'client.with': (options) => client.with(options),
  'route.with': (options) => route.with(options),
  'route.request': (options) => route.request(options),
  'credentials.login': (options) => credentials.login(options),
  isAllowed: (options) => client.authorization.isAllowed(question, options),
  evaluateMany: (options) => client.authorization.evaluateMany({ user: 'alice', items: [] }, options),
  'policies.list': (options) => client.authorization.policies.list(options).next(),
  'policies.get': (options) => client.authorization.policies.get('p', options),
  validate: (options) => client.authentication.validate('a.b.c', options),
  compare: (options) => analysis.compare({}, {}, options),
  excess: (options) => analysis.excess({}, [], options),
  grants: (options) => analysis.grants({}, { user: 'alice' }, options),
  leastPrivilege: (options) => analysis.leastPrivilege([], {}, options),
  missing: (options) => analysis.missing({}, [], options),
  rehearse: (options) => analysis.rehearse([], {}, options),
  replay: (options) => analysis.replay([], {}, options),
  resourceFilter: (options) => analysis.resourceFilter({}, question, options),
  usage: (options) => analysis.usage([], {}, options),
  whoCan: (options) => analysis.whoCan({}, question, options),
  toAql: (options) => analysis.toAql(analysis.resourceFilter({}, question), ['doc'], options),
  statement: (options) => statement(catalog.database, 'db:Read', '*', options),
  createPdp: (options) => authzen.createPdp(evaluator, options),
  createPdpClient: (options) => authzen.createPdpClient(options),
  createGuard: (options) => createGuard(client, options),
  permissionsHandler: (options) => permissionsHandler(guard, options),
  createMock: (options) => createMock(options),
  'mock.fail': (options) => mock.fail(options),
  'mock.waitFor': (options) => mock.waitFor({}, options),
  'mock.platformLog': (options) => mock.platformLog(options),
  'tokens.issue': (options) => mock.tokens.issue(options),
  'tokens.forge': (options) => mock.tokens.forge(options),
  handlers: (options) => handlers(mock, options),
  listen: (options) => listen(mock, options),
  listenGrpc: (options) => listenGrpc(mock, options),
  playback: (options) => playback(mock, 'orders', 'recordings', options),
  nodeTransport: (options) => nodeTransport(options),
  superuser: (options) => superuser(options),
  allowedOperations: (options) => allowedOperations(client, document, options),
  explainAccess: (options) => permissions.explainAccess(state, question, options),
  findHolders: (options) => permissions.findHolders(state, question, options),
  planResources: (options) => permissions.planResources(folderState, options),
  writeResources: (options) => permissions.writeResources(folderState, options),
  plan: (options) => permissions.plan(state, state, options),
  apply: (options) => permissions.apply(client, permissions.plan(state, state), options),
  exportPermissions: (options) => permissions.exportPermissions(state, options),
  exportCustomResources: (options) => permissions.exportCustomResources(state, options),
  lintPermissions: (options) => permissions.lintPermissions('permissions.yaml', options),
  readCaller: (options) => permissions.readCaller(client, options),
  readPermissions: (options) => permissions.readPermissions('permissions.yaml', options),
  readState: (options) => permissions.readState(client, options),
  readTests: (options) => permissions.readTests('permissions.test.yaml', options),
  runTests: (options) => permissions.runTests(state as never, [], options),
  createEvaluator: (options) => createEvaluator({}, options),
  lint: (options) => lint({}, options),
  createReplica: (options) => createReplica(options),
  createPermissionStore: (options) => createPermissionStore(options),
  createSession: (options) => createSession(options),
  events: (options) => events(new Response('').body ?? undefined, options).next(),
  poolTransport: (options) => poolTransport('127.0.0.1:1', options),
  checkConformance: (options) => checkConformance(client, options),
  failover: (options) => failover(['http://a.example'], options),
  decisionLog: (options) => decisionLog(options),
  decisionsReporter: (options) => decisionsReporter(options),
  readDecisions: (options) => readDecisions(undefined, options),
  lines: (options) => lines(new Response('').body ?? undefined, options).next(),
  paginate: (options) => paginate(route, options).next(),
  uploadWithProgress: (options) => uploadWithProgress(route, 'x', new Blob(), options),
  createVerifier: (options) => createVerifier(options),
  verifyToken: (options) => verifyToken('a.b.c', options),
};

/** What a call needs beside the option in question. */
const needed: Readonly<Record<string, object>> = {
  uploadWithProgress: { onProgress: () => undefined },
  createPdpClient: { url: 'https://pdp.example.com' },
  'mock.fail': { status: 500 },
  lintPermissions: { read: () => '' },
  planResources: { deployment: 'main', files: new Map() },
  paginate: { next: () => undefined },
};

/** Options that no call may read before others, each with the reason. */
const unread = new Set([
  // Only a call that asks something reads them; an empty document has no operations, and no test no question.
  ...['timeout', 'signal', 'retry', 'headers'].map((name) => `allowedOperations ${name}`),
  'runTests maxWork',
  // A symbol is refused with the sentence for bodies, which names no kind.
  'route.request body',
  // The words of these say more: they need another option, or are refused whatever their kind.
  'mock.fail body',
  'mock.fail grpcCode',
  'mock.fail headers',
  'mock.fail after',
  'createSession credentials',
  // Read with the first token.
  'createVerifier secret',
  // Part of the line of the call, so its problem names no kind.
  'route.request method',
]);

/** The message of a call's error; undefined if it accepts what it is given. */
async function messageOf(call: (options: never) => unknown, options: unknown): Promise<string | undefined> {
  try {
    // The cast: it has to refuse anything.
    await call(options as never);
    return undefined;
  } catch (error) {
    if (!isArangoServicesError(error)) throw error;
    return error.message;
  }
}

const kinds: readonly [unknown, string][] = [
  [['canary'], 'a list'],
  ['canary', 'a string'],
  [null, 'null'],
  [7, 'a number'],
];
const cases = Object.entries(calls);

test.each(cases)('%s refuses what is not an object', async (_, call) => {
  for (const [given, kind] of kinds) {
    expect(await messageOf(call, given)).toMatch(
      new RegExp(`(?:^|: )\\w+: expected (?:an object|\\{ username, password \\}), got ${kind}$`),
    );
  }
});

test.each(cases)('%s suggests options for unknown ones, and says what the known ones accept', async (name, call) => {
  const unknown = await messageOf(call, { zzz: 'canary' });
  expect(unknown).toMatch(/(?:^|: |\.)zzz: unknown; accepted are /);
  const options = unknown?.split('accepted are ')[1]?.split(', ') ?? [];
  for (const option of options) {
    const misspelt = await messageOf(call, { ...needed[name], [`${option}${option.at(-1)}`]: 'canary' });
    expect(misspelt).toContain(`unknown (did you mean "${option}"?); accepted are `);
    if (unread.has(`${name} ${option}`)) continue;
    const message = await messageOf(call, { ...needed[name], [option]: Symbol('canary') });
    expect(message).toContain(option);
    expect(message, option).toMatch(/\S+: expected .*, got a symbol$/);
    expect(message).not.toContain('canary');
  }
});

/** Exported functions without options, or whose options are those of another one. */
const withoutOptions = new Set([
  'decisionAttributes',
  // Arguments only.
  ...['defineCatalog', 'describeError', 'explain', 'findStaleResources', 'fromEnv', 'normalizePolicy'],
  ...['permissionsOf', 'progress', 'regionContains', 'samePolicy', 'sameRole', 'signInUrl', 'tokenFile'],
  ...['toAnswer', 'toNodeListener', 'toResponse', 'typed', 'pool', 'openApiValidator', 'parityOf'],
  // The members of `credentials`.
  ...['basic', 'bearer', 'cookies', 'login', 'minted'],
  // The options of `lines`, `readPermissions`, and of guards whose document is not read here.
  ...['ndjson', 'adoptPermissions', 'guardOperation', 'operationGuards'],
]);

test('every exported function is walked, or has no options of its own', async () => {
  const entries = Object.entries(packageJson.exports).flatMap(([_subpath, target]) =>
    typeof target === 'object' ? `../${sourceOf(target.default.slice('./dist/'.length, -'.js'.length))}` : [],
  );
  const names = new Set<string>();
  for (const entry of entries) {
    const module: Record<string, unknown> = await import(entry);
    for (const [name, value] of Object.entries(module)) {
      const isClass = typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
      if (typeof value === 'function' && !isClass && !/^(?:is|format|validate)[A-Z]/.test(name)) names.add(name);
    }
  }
  expect(names.size).toBeGreaterThan(50);
  expect([...names].filter((name) => !(name in calls) && !withoutOptions.has(name))).toEqual([]);
});

test('the words that have been seen', async () => {
  expect(() => createClient({ url, databse: 'x' } as never)).toThrow('databse: unknown (did you mean "database"?)');
  expect(() => createClient({ url, retries: 1 } as never)).toThrow('retries: unknown (did you mean "retry"?)');
  expect(() => credentials.login({ username: 'a', pasword: 'canary' } as never)).toThrow(
    'credentials.pasword: unknown (did you mean "password"?)',
  );
  expect(await messageOf(() => route.get(null as never), undefined)).toMatch(
    /path: expected a string or a list of segments, got null$/,
  );
  expect(await messageOf(() => permissions.readState(client, {} as never), undefined)).toBe(
    'options: expected one of users and replica',
  );
  for (const call of [permissions.readState, permissions.apply, permissions.readCaller]) {
    expect(await messageOf(() => Reflect.apply(call, undefined, [{}, { users: [] }]), undefined)).toBe(
      'client: expected a client, got an object',
    );
  }
});
