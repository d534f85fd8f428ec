import { as, authz, type Check, check, checkLoosely, getAs, permissions, post, type RunStep, send } from './check.js';

// Checks that write. All names begin with that of the run, and the order counts: later checks use what earlier ones
// have written.

const run = '{{run}}';
const user = `${run}-u`;
const headers = as('good');
const grow = { headers, index: '/index' };
const policy = (name: string) => `${permissions}/policy/${run}-${name}`;
const role = (name: string) => `${permissions}/role/${run}-${name}`;
const binding = (of: string, name: string) => `${permissions}/user/${run}-${of}/role/${run}-${name}`;
const allow = (actions: readonly string[], resources: readonly string[]) => ({ effect: 'Allow', actions, resources });
const deny = (actions: readonly string[], resources: readonly string[]) => ({ effect: 'Deny', actions, resources });
const item = (...statements: readonly object[]) => ({ item: { statements } });
const everything = { scope: { statements: [allow(['*'], ['*'])] } };
const put = (path: string, body: unknown): RunStep => ({
  request: { method: 'PUT', path, body, headers },
  index: '/index',
});
const create = (path: string, body: unknown): RunStep => post(path, body, grow);
const remove = (path: string): RunStep => send('DELETE', path, grow);
const read = (path: string): RunStep => send('GET', path, grow);

const reading = item(allow(['verify:read'], ['orders:*']));

const policyWrites: readonly Check[] = [
  check('write/create', 'create', create(policy('p'), reading), create(policy('p'), reading), create(policy('q'), {})),
  check('write/get', 'get', read(policy('p')), read(policy('q'))),
  check(
    'write/index',
    'index',
    read(policy('p')),
    put(policy('p'), reading),
    put(policy('p'), reading),
    read(policy('p')),
  ),
  check(
    'write/update',
    'update',
    put(policy('p'), item(allow(['verify:list'], ['*']))),
    put(policy('q'), reading),
    put(policy('p'), {}),
  ),
  check('write/sorted', 'sortedOnWrite', create(policy('s'), item(allow(['v:b', 'v:a', 'v:b'], ['z', 'a', 'ä', 'z'])))),
  check('write/path-wins', 'pathWins', create(policy('n'), { name: 'arango-services-conformance', ...reading })),
  checkLoosely('write/types', 'typesInBody', create(policy('t'), { name: 5, ...reading })),
  check('write/zero-values', 'zeroValues', create(policy('z'), { item: {} }), create(role('z'), { item: {} })),
  check(
    'write/odd-effect',
    'oddEffects',
    create(policy('e'), item({ ...allow(['v:a'], ['*']), effect: 'Maybe' })),
    create(policy('f'), item({ ...allow(['v:a'], ['*']), effect: 7 })),
  ),
  check(
    'write/faults',
    'faults',
    create(policy('g'), item(allow(['verify'], ['*']))),
    create(policy('g'), item(allow(['v:a'], ['']))),
  ),
  check('write/unparsable', 'unparsablePattern', create(policy('x'), item(allow(['v:a'], ['*x*'])))),
  check(
    'write/pages',
    'list',
    ...['?page=1&itemsPerPage=2', '?page=2&itemsPerPage=2', '?page=0', ''].map((query) =>
      getAs('good', `${permissions}/policy${query}`),
    ),
  ),
  check('write/remove', 'remove', remove(policy('p')), remove(policy('p')), read(policy('p'))),
];

const bindingWrites: readonly Check[] = [
  check(
    'write/role',
    'create',
    create(role('r'), { item: { policies: [`${run}-allow`, `${run}-deny`, `${run}-missing`] } }),
    create(role('r'), { item: {} }),
  ),
  check(
    'write/role-update',
    'update',
    create(role('t'), { item: { policies: [`${run}-star`] } }),
    put(role('t'), { item: { policies: [`${run}-star`, `${run}-missing`] } }),
  ),
  check('write/role-remove', 'remove', remove(role('z')), remove(role('z'))),
  check(
    'write/assign',
    'assign',
    create(binding('u', 'r'), everything),
    create(binding('u', 'r'), everything),
    create(binding('u', 'none'), {}),
  ),
  check('write/role-need-not-exist', 'assign', create(binding('v', 'nothing'), everything)),
  check('write/list', 'listBindings', getAs('good', `${permissions}/user/${user}/role`)),
  check('write/missing-binding', 'missingBinding', remove(binding('u', 'none'))),
  check(
    'write/replace',
    'replaceScope',
    put(binding('u', 'none'), everything),
    put(binding('u', 'r'), { scope: { statements: [allow(['verify:*', 'other:read', 'secret:read'], ['*'])] } }),
  ),
];

const ask = (...questions: readonly string[]): RunStep => {
  const items = questions.map((question) => {
    const [action = '', ...resource] = question.split(' ');
    return { action, resource: resource.join(' ') };
  });
  return { ...post(`${authz}/evaluate-many`, { user, items }), settles: true };
};

const decisions: readonly Check[] = [
  check(
    'write/policies',
    'create',
    create(
      policy('allow'),
      item(allow(['verify:read*', '*:list', 'secret:read'], ['orders:*', 'a*:*z', 'mid*dle', 'Exact'])),
    ),
    create(policy('deny'), item(deny(['verify:readAll', 'secret:read'], ['orders:secret', 'orders:x:*']))),
    create(policy('star'), item(allow(['other:read', 'far:read'], ['*']))),
    create(binding('u', 't'), { scope: { statements: [allow(['other:read', 'secret:read'], ['in:*'])] } }),
  ),
  check('decide/settled', 'poolTick', ask('verify:read orders:1')),
  check(
    'decide/segments',
    'segments',
    ask(
      'verify:read orders:1',
      'verify:reader orders:1',
      'verify:rea orders:1',
      'verify:list orders:1',
      'x:list orders:1',
      'verify:read a1:1z',
      'verify:read a:z',
      'verify:read a1:1',
      'verify:read mid*dle',
      'verify:read middle',
      'verify:read Exact',
      'verify:read exact',
    ),
  ),
  check(
    'decide/last-star',
    'lastStar',
    ask('verify:read orders', 'verify:read orders:', 'verify:read orders:1:2:3', 'verify:read order:1'),
  ),
  check('decide/star', 'star', ask('other:read in:1', 'other:read in:1:2')),
  check(
    'decide/deny',
    'denyWins',
    ask('verify:readAll orders:secret', 'verify:readAll orders:x:1', 'verify:readAll orders:1'),
  ),
  check(
    'decide/alternatives',
    'alternatives',
    ask('secret:read orders:1', 'other:read in:1', 'secret:read orders:secret'),
  ),
  check('decide/scope', 'scope', ask('x:list orders:1', 'far:read in:1', 'other:read out:1')),
  check('decide/missing-policies', 'missingPolicies', ask('verify:read orders:7')),
  check(
    'decide/code-points',
    'codePoint',
    ask('verify:read ORDERS:1', 'verify:read örders:1', 'VERIFY:read orders:1'),
    post(`${authz}/evaluate-many`, { user: `${run}-U`, items: [{ action: 'verify:read', resource: 'orders:1' }] }),
  ),
  check('decide/removed', 'poolTick', remove(binding('u', 't')), ask('other:read in:1', 'verify:read orders:1')),
  check('write/remove-binding', 'removeRole', create(binding('w', 'r'), everything), remove(binding('w', 'r'))),
  check('write/bindings-stay', 'bindingsStay', remove(role('r')), getAs('good', `${permissions}/user/${user}/role`)),
  check(
    'write/colon',
    'colonNames',
    create(`${permissions}/user/${run}-u%3Ax/role/${run}-r`, everything),
    getAs('good', `${permissions}/user/${user}/role`),
    remove(`${permissions}/user/${run}-u%3Ax/role/${run}-r`),
  ),
];

/** Checks that write, in their order. */
export const writingChecks: readonly Check[] = [...policyWrites, ...bindingWrites, ...decisions];

/** The users that the checks give roles to, behind the name of the run. */
export const usersOfRun: readonly string[] = ['-u', '-u:x', '-v', '-w'];

/** The first policy of a run, which is removed last: what it left can be found as long as there is one. */
export const markerPath = `${permissions}/policy/${run}`;
