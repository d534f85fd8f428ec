import { createPermissionStore, createSession } from '../../src/client/session/index.ts';
import { createPdpClient } from '../../src/enforce/authzen/index.ts';
import { createGuard, guardOperation, operationGuards, permissionsHandler } from '../../src/enforce/guard/index.ts';
import { createReplica } from '../../src/enforce/replica/index.ts';
import { Connection, createClient, InvalidArgumentError } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import * as permissions from '../../src/permissions/index.ts';
import * as analysis from '../../src/policy/analysis/index.ts';
import { createEvaluator, explain, lint } from '../../src/policy/index.ts';
import { url } from './option-calls.ts';

/** An argument beside the options of a call. */
export interface ArgumentCall {
  /** A valid argument. */
  readonly valid: object;
  /** Makes the call with another one. */
  readonly call: (argument: never) => unknown;
  /** A key that is similar to one of the argument, or of the call's options. */
  readonly unknown: string;
  /** An option of the call, or of one like it, that does not belong into the argument. */
  readonly misplaced: string;
}

const state = { policies: {}, roles: {}, bindings: [] };
const permissionsState = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' } as const;
const item = { action: 'a:b', resource: 'a:c' };
const alice = { user: 'alice' };
const asked = { ...alice, ...item };
const ofOrder = { action: 'orders:read', resource: 'order:{id}' };
const orderId = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const policy = { statements: [] };
const binding = { user: 'alice', role: 'r', scope: policy };

const stateCalls = {
  compare: (before: never) => analysis.compare(before, {}),
  'compare after': (after: never) => analysis.compare({}, after),
  excess: (given: never) => analysis.excessAccess(given, []),
  grants: (given: never) => analysis.grants(given, alice),
  leastPrivilege: (given: never) => analysis.leastPrivilege([], given),
  missing: (given: never) => analysis.missingAccess(given, []),
  rehearse: (given: never) => analysis.rehearse([], given),
  replay: (given: never) => analysis.replay([], given),
  resourceFilter: (given: never) => analysis.resourceFilter(given, { ...alice, action: 'a:b' }),
  usage: (given: never) => analysis.permissionUsage([], given),
  whoCan: (given: never) => analysis.whoCan(given, item),
};

/** Creates the calls of every function and method that takes an object besides its options. */
export async function createArgumentCalls(): Promise<Readonly<Record<string, ArgumentCall>>> {
  const mock = await createMock();
  const client = createClient(mock.connection);
  const { authorization, authentication } = client;
  const evaluator = createEvaluator();
  const guard = createGuard(evaluator, { authenticate: async () => alice });
  const pdp = createPdpClient({ url: 'https://pdp.example.com' });
  const request = { headers: {} };
  const store = createPermissionStore({ ask: client });
  const session = createSession({ url });
  const calls: Record<string, ArgumentCall> = {};
  const add = (name: string, valid: object, misplaced: string, unknown: string, call: ArgumentCall['call']) => {
    calls[name] = { valid, call, unknown, misplaced };
  };
  for (const [name, call] of Object.entries(stateCalls)) add(`${name} state`, state, 'maxWork', 'polices', call);

  add('excess allowed', item, 'within', 'user', (one) => analysis.excessAccess({}, [one]));
  add('missing required', asked, 'maxWork', 'rolees', (one) => analysis.missingAccess({}, [one]));
  add('grants subject', alice, 'maxWork', 'rolees', (one) => analysis.grants({}, one));
  add('resourceFilter question', { ...alice, action: 'a:b' }, 'maxWork', 'rolees', (one) =>
    analysis.resourceFilter({}, one),
  );
  add('scopeOf request', { database: 'a' }, 'maxWork', 'databse', (one) => analysis.scopeOf(one));
  add('whoCan question', item, 'match', 'resources', (one) => analysis.whoCan({}, one));
  add('explainAccess question', asked, 'maxWork', 'usr', (one) => permissions.explainAccess(permissionsState, one));
  add('answerWhoCan question', item, 'match', 'resources', (one) => permissions.answerWhoCan(permissionsState, one));
  add('explainAccess state', permissionsState, 'fidelty', 'polices', (one) => permissions.explainAccess(one, asked));
  add('answerWhoCan state', permissionsState, 'match', 'polices', (one) => permissions.answerWhoCan(one, item));
  add('plan read', permissionsState, 'prune', 'polices', (one) => permissions.plan(one, permissionsState));
  add('plan desired', permissionsState, 'prune', 'polices', (one) => permissions.plan(permissionsState, one));
  add('exportPermissions state', permissionsState, 'as', 'polices', (one) => permissions.exportPermissions(one));
  add('exportCustomResources state', permissionsState, 'namespace', 'polices', (one) =>
    permissions.exportCustomResources(one, { deployment: 'x' }),
  );
  add('apply plan', permissions.plan(permissionsState, permissionsState), 'concurrency', 'stagess', (one) =>
    permissions.apply(client, one),
  );
  const tests = { file: 'permissions.test.yaml', given: [], expect: [], nobody: [] };
  add('runTests state', permissionsState, 'fidelty', 'polices', (one) => permissions.runTests(one, []));
  add('runTests tests', tests, 'maxWork', 'expected', (one) => permissions.runTests(permissionsState, [one]));
  add('lint state', state, 'fidelty', 'polices', (one) => lint(one));
  add('createEvaluator state', state, 'fidelty', 'polices', (one) => createEvaluator(one));
  add('evaluator.evaluate', asked, 'fidelity', 'rolees', (one) => evaluator.evaluate(one));
  add('evaluator.evaluateMany', { ...alice, items: [item] }, 'fidelity', 'rolees', (one) =>
    evaluator.evaluateMany(one),
  );
  add('evaluator.setPolicy', policy, 'fidelity', 'statement', (one) => evaluator.setPolicy('p', one));
  add('evaluator.setRole', { policies: [] }, 'fidelity', 'scopes', (one) => evaluator.setRole('p', one));
  add('evaluator.setBinding', binding, 'fidelity', 'scopes', (one) => evaluator.setBinding(one));
  add('explain request', asked, 'fidelity', 'rolees', (one) => explain(evaluator, one));

  add('authorization.evaluate', asked, 'timeout', 'rolees', (one) => authorization.evaluate(one));
  add('authorization.isAllowed', asked, 'signal', 'rolees', (one) => authorization.isAllowed(one));
  add('authorization.assertAllowed', asked, 'timeout', 'rolees', (one) => authorization.assertAllowed(one));
  add('authorization.evaluateMany', { ...alice, items: [item] }, 'timeout', 'rolees', (one) =>
    authorization.evaluateMany(one),
  );
  add('authorization.evaluateMany item', item, 'timeout', 'resources', (one) =>
    authorization.evaluateMany({ ...alice, items: [one] }),
  );
  add('authorization.checkSelf', item, 'timeout', 'resources', (one) => authorization.checkSelf(one));
  add('policies.create', policy, 'timeout', 'statement', (one) => authorization.policies.create('p', one));
  add('policies.update', policy, 'timeout', 'statement', (one) => authorization.policies.update('p', one));
  add('policies.upsert', policy, 'timeout', 'statement', (one) => authorization.policies.upsert('p', one));
  add('roles.create', { policies: [] }, 'timeout', 'scopes', (one) => authorization.roles.create('p', one));
  add('bindings.assign', binding, 'timeout', 'scopes', (one) => authorization.bindings.assign(one));
  add('bindings.replaceScope', binding, 'timeout', 'scopes', (one) => authorization.bindings.replaceScope(one));
  add('bindings.upsert', binding, 'timeout', 'scopes', (one) => authorization.bindings.upsert(one));
  add('bindings.remove', { user: 'alice', role: 'r' }, 'timeout', 'users', (one) => authorization.bindings.remove(one));
  add('authentication.createToken', alice, 'timeout', 'users', (one) => authentication.createToken(one));
  add('authentication.login', { username: 'root', password: '' }, 'timeout', 'user', (one) =>
    authentication.login(one),
  );
  add('authentication.logout', { location: '/' }, 'timeout', 'locations', (one) => authentication.logout(one));
  add('session.signIn', { username: 'root', password: '' }, 'timeout', 'user', (one) => session.signIn(one));
  add('store.ready', item, 'timeout', 'resources', (one) => store.ready([one]));
  add('connection.send', { method: 'GET', path: '/x' }, 'credentials', 'paths', (one) =>
    new Connection(mock.connection).send(one),
  );
  add('guard.check', item, 'cache', 'resources', (one) => guard.check(request, one));
  add('guard.checkMany', item, 'timeout', 'resources', (one) => guard.checkMany(request, [one]));
  const document = { paths: { '/orders/{id}': { parameters: [orderId], get: { 'x-permission': ofOrder } } } };
  const sent = { ...request, method: 'GET', url: '/orders/7' };
  const checkOperation = guardOperation(guard, document);
  const getOrder = operationGuards(guard, document).for('GET /orders/{id}');
  add('guardOperation document', document, 'basePath', 'pathes', (one) => guardOperation(guard, one));
  add('guardOperation x-permission', ofOrder, 'basePath', 'actions', (one) =>
    guardOperation(guard, { paths: { '/orders/{id}': { parameters: [orderId], get: { 'x-permission': one } } } }),
  );
  add('guardOperation request', sent, 'basePath', 'urls', (one) => checkOperation(one));
  add('operationGuards document', document, 'basePath', 'pathes', (one) => operationGuards(guard, one));
  add('operationGuards parsed', { params: { id: '7' } }, 'basePath', 'param', (one) => getOrder.check(sent, one));
  const handler = permissionsHandler(guard, { actions: ['a:b'] });
  const posted = { headers: { authorization: 'Bearer a.b.c' }, method: 'POST' };
  const answerTo = async (given: object): Promise<void> => {
    const { status, body } = await handler.answer(posted, given);
    if (status !== 200) throw new InvalidArgumentError('body', 'message' in body ? body.message : 'refused');
  };
  add('permissionsHandler body', { items: [item] }, 'max', 'item', (one) => answerTo(one));
  add('permissionsHandler item', item, 'max', 'resources', (one) => answerTo({ items: [one] }));
  add('pdp.evaluate', asked, 'timeout', 'rolees', (one) => pdp.evaluate(one));
  add('pdp.evaluateMany', { ...alice, items: [item] }, 'timeout', 'rolees', (one) => pdp.evaluateMany(one));
  add('mock.waitFor filter', { method: 'GET' }, 'timeout', 'methods', (one) => mock.waitFor(one, { timeout: 1 }));
  add('mock.explain', asked, 'fidelity', 'rolees', (one) => mock.explain(one));

  const replica = createReplica({ transport: { open: never, close: async () => undefined } });
  add('replica.evaluate', asked, 'timeout', 'rolees', (one) => replica.evaluate(one));
  add('replica.reached', { revision: 'v1.policy.41.k3f9zz' }, 'timeout', 'revisions', (one) =>
    replica.reached(one, { timeout: 1 }),
  );
  add('replica.overlay', { kind: 'policy', name: 'p', after: policy }, 'timeout', 'afterr', (one) =>
    replica.overlay([one]),
  );
  return calls;
}
async function* never(): AsyncGenerator<never> {
  await new Promise(() => undefined);
}
