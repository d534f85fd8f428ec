import { failover } from '../../src/client/failover/index.ts';
import { nodeTransport, superuser } from '../../src/client/node/index.ts';
import { allowedOperations } from '../../src/client/openapi/index.ts';
import { createRouteClient } from '../../src/client/routes.ts';
import { createPermissionStore, createSession } from '../../src/client/session/index.ts';
import { events, paginate, readLines, uploadWithProgress } from '../../src/client/stream/index.ts';
import { listen, listenGrpc, playback } from '../../src/console/mock/node.ts';
import * as authzen from '../../src/enforce/authzen/index.ts';
import {
  createGuard,
  createVerifier,
  guardOperation,
  permissionsHandler,
  verifyToken,
} from '../../src/enforce/guard/index.ts';
import { createReplica, poolTransport } from '../../src/enforce/replica/index.ts';
import { Connection, createClient, credentials, isArangoServicesError } from '../../src/index.ts';
import { handlers } from '../../src/mock/adapters/msw.ts';
import { decisionsReporter } from '../../src/mock/adapters/node/vitest/index.ts';
import { createMock } from '../../src/mock/index.ts';
import * as permissions from '../../src/permissions/index.ts';
import * as analysis from '../../src/policy/analysis/index.ts';
import { catalog, statement } from '../../src/policy/analysis/index.ts';
import { decisionLog, readDecisions } from '../../src/policy/decisions/index.ts';
import { createEvaluator, lint } from '../../src/policy/index.ts';
import { checkConformance } from '../../src/tools/conformance/index.ts';

/** Calls by name; each passes what it is given as options. */
type OptionCalls = Readonly<Record<string, (options: never) => unknown>>;

export const url = 'http://localhost:8529';
const evaluator = createEvaluator();
const state = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' } as const;
const question = { user: 'alice', action: 'a:b', resource: '' };
const filtered = { user: 'alice', action: 'a:b' };
const document = { openapi: '3.1.0', paths: {} };

/** Creates the calls of every function and method that takes options, over one mock. */
export async function createCalls() {
  const mock = await createMock();
  const client = createClient(mock.connection);
  const route = client.route('x');
  const folderState = await permissions.readPermissions('permissions.yaml', { read: () => '' });
  const guard = createGuard(client);

  const calls: OptionCalls = {
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
    excessAccess: (options) => analysis.excessAccess({}, [], options),
    grants: (options) => analysis.grants({}, { user: 'alice' }, options),
    leastPrivilege: (options) => analysis.leastPrivilege([], {}, options),
    missingAccess: (options) => analysis.missingAccess({}, [], options),
    rehearse: (options) => analysis.rehearse([], {}, options),
    replay: (options) => analysis.replay([], {}, options),
    resourceFilter: (options) => analysis.resourceFilter({}, filtered, options),
    permissionUsage: (options) => analysis.permissionUsage([], {}, options),
    whoCan: (options) => analysis.whoCan({}, question, options),
    toAql: (options) => analysis.toAql(analysis.resourceFilter({}, filtered), ['doc'], options),
    statement: (options) => statement(catalog.database, 'db:Read', '*', options),
    createPdp: (options) => authzen.createPdp(evaluator, options),
    createPdpClient: (options) => authzen.createPdpClient(options),
    createGuard: (options) => createGuard(client, options),
    guardOperation: (options) => guardOperation(guard, { paths: {} }, options),
    permissionsHandler: (options) => permissionsHandler(guard, options),
    createMock: (options) => createMock(options),
    'mock.fail': (options) => mock.fail(options),
    'mock.waitFor': (options) => mock.waitFor({}, options),
    'mock.route': (options) => mock.route('GET', '/x', () => ({}), options as never),
    'mock.service': (options) => mock.service('orders', {}, options),
    'mock.service of a URL': (options) => mock.service('orders', 'http://127.0.0.1:1', options),
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
    answerWhoCan: (options) => permissions.answerWhoCan(state, question, options),
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
    readHolds: (options) => permissions.readHolds('permissions.holds.yaml', options),
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
    readLines: (options) => readLines(new Response('').body ?? undefined, options).next(),
    paginate: (options) => paginate(route, options).next(),
    uploadWithProgress: (options) => uploadWithProgress(route, 'x', new Blob(), options),
    createVerifier: (options) => createVerifier(options),
    verifyToken: (options) => verifyToken('a.b.c', options),
  };
  return { calls, client, route };
}

/** What a call needs beside the option in question. */
export const needed: Readonly<Record<string, object>> = {
  uploadWithProgress: { onProgress: () => undefined },
  createPdpClient: { url: 'https://pdp.example.com' },
  'mock.fail': { status: 500 },
  lintPermissions: { read: () => '' },
  planResources: { deployment: 'main', files: new Map() },
  paginate: { next: () => undefined },
};

/** The message of a call's error; undefined if it accepts what it is given. */
export async function messageOf(call: (options: never) => unknown, options: unknown): Promise<string | undefined> {
  try {
    // The cast: it has to refuse anything.
    await call(options as never);
    return undefined;
  } catch (error) {
    if (!isArangoServicesError(error)) throw error;
    return error.message;
  }
}

/** The names of the options that a call takes, as its error for an unknown one lists them. */
export async function optionNames(call: (options: never) => unknown): Promise<readonly string[]> {
  const unknown = await messageOf(call, { zzz: 'canary' });
  return unknown?.split('accepted are ')[1]?.split(', ') ?? [];
}
