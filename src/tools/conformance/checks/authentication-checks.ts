import { as, authn, type Check, check, checkLoosely, get, permissions, post } from './check.js';

// identity, validate, createToken, login and logout. Tokens are minted only for a name without bindings, and expire
// after a minute or an hour: nothing is stored.

const lifetime = ['/details/lifetime'];
const validate = (token: string, volatile: readonly string[] = lifetime) =>
  post(`${authn}/validate`, { token: `{{${token}}}` }, { volatile });
const identity = (authorization: string) => get(`${authn}/identity`, { headers: { authorization } });
const mint = (body: object) =>
  post(`${authn}/createToken`, { user: '{{stranger}}', ...body }, { volatile: ['/token'] });

const identityChecks: readonly Check[] = [
  check('identity/no-token', 'identity', get(`${authn}/identity`)),
  check('identity/good', 'identity', identity('bearer {{user}}')),
  check('identity/own', 'identityOfSuperuser', identity('bearer {{good}}')),
  check('identity/superuser', 'identityOfSuperuser', identity('bearer {{superuser}}')),
  check('identity/query', 'identity', get(`${authn}/identity?user=verify&token={{good}}`, { headers: as('good') })),
  check(
    'identity/cookie',
    'identity',
    get(`${authn}/identity`, { headers: { cookie: 'X-ArangoDB-Token-JWT={{good}}' } }),
  ),
  check('identity/basic', 'identity', identity('basic dmVyaWZ5OnZlcmlmeQ==')),
  check('identity/forged', 'identity', identity('bearer {{forged}}')),
  check('identity/foreign', 'identity', identity('bearer {{foreign}}')),
  check('identity/unsigned', 'identity', identity('bearer {{unsigned}}')),
  check('identity/malformed', 'identity', identity('bearer {{malformed}}')),
  check('identity/expired', 'noLeeway', identity('bearer {{expired}}')),
  check('identity/future', 'noLeeway', identity('bearer {{future}}')),
  check('identity/scheme', 'anyScheme', identity('Bearer {{good}}')),
  check('identity/space', 'identitySpace', identity('bearer  {{good}}')),
];

const tokenChecks: readonly Check[] = [
  check('validate/good', 'validate', validate('user')),
  check('validate/own', 'validate', validate('good')),
  check('validate/superuser', 'superuserToken', validate('superuser')),
  check('validate/odd-user', 'superuserToken', validate('odd-user')),
  check('validate/groups', 'validate', validate('groups')),
  check('validate/odd-groups', 'oddGroups', validate('odd-groups')),
  check('validate/forged', 'validate', validate('forged')),
  check('validate/foreign', 'validate', validate('foreign')),
  check('validate/unsigned', 'keysAlgorithm', validate('unsigned')),
  check('validate/other-algorithm', 'keysAlgorithm', validate('other-algorithm')),
  check('validate/malformed', 'reasons', validate('malformed'), post(`${authn}/validate`, { token: '' })),
  check('validate/expired', 'noLeeway', validate('expired')),
  check('validate/just-expired', 'noLeeway', validate('just-expired')),
  check('validate/future', 'noLeeway', validate('future')),
  check('validate/not-yet', 'noLeeway', validate('not-yet')),
  check('validate/without-exp', 'withoutExp', validate('without-exp')),
  check('validate/exp-zero', 'expZero', validate('exp-zero', ['/details/lifetime'])),
  check('validate/text-exp', 'timesAreNumbers', validate('text-exp')),
  check('validate/issuer', 'issuer', validate('issuer')),
  check('validate/crit', 'crit', validate('crit')),
  check('validate/far-nbf', 'farTimes', validate('far-nbf')),
];

const createChecks: readonly Check[] = [
  check('create/default', 'createToken', mint({})),
  check('create/groups', 'createToken', mint({ groups: ['verify', 'a'], lifetime: '600s' })),
  check('create/minimum', 'lifetimes', mint({ lifetime: '1s' }), mint({ lifetime: '0s' }), mint({ lifetime: '-5s' })),
  check('create/maximum', 'lifetimes', mint({ lifetime: '360000s' })),
  check('create/decimals', 'lifetimes', mint({ lifetime: '90.500s' })),
  checkLoosely('create/hours', 'hours', mint({ lifetime: '1h' })),
  checkLoosely('create/wrong-type', 'wrongBodies', mint({ groups: 'a' }), mint({ lifetime: 60 })),
  check(
    'create/claims',
    'claims',
    post(`${authn}/createToken`, { user: '{{stranger}}' }, { volatile: ['/token'], capture: { minted: '/token' } }),
    post(`${authn}/validate`, { token: '{{minted}}' }, { volatile: lifetime }),
    get(`${authn}/identity`, { headers: as('minted') }),
  ),
  check('create/caller', 'whoIsChecked', {
    ...post(`${authn}/createToken`, { user: '{{stranger}}' }, { headers: as('good') }),
    volatile: ['/token'],
  }),
  check('create/gate', 'gateRefusal', {
    ...post(`${authn}/createToken`, { user: '{{stranger}}' }, { headers: as('user') }),
    volatile: ['/token'],
  }),
];

const sessionChecks: readonly Check[] = [
  check('login/empty', 'login', post(`${authn}/login`, {})),
  check(
    'login/refused',
    'login',
    post(`${authn}/login`, { credentials: { username: '{{stranger}}', password: 'no' } }),
  ),
  check('logout/nothing', 'logout', get(`${authn}/logout`)),
  check('logout/cookie', 'logout', get(`${authn}/logout`, { headers: { cookie: 'X-ArangoDB-Token-JWT=verify' } })),
  check('logout/location', 'logout', get(`${authn}/logout?location=%2Fverify`)),
  check('session/short-identity', 'shortNames', get('/_identity'), get('/_identity', { headers: as('good') })),
  check('session/short-login', 'shortNames', post('/_login', {})),
];

const managementTokenChecks: readonly Check[] = [
  check('management/no-token', 'managementToken', get(`${permissions}/policy`)),
  check(
    'management/basic',
    'managementToken',
    get(`${permissions}/policy`, { headers: { authorization: 'basic dmVyaWZ5Og==' } }),
  ),
  check('management/foreign', 'managementToken', get(`${permissions}/role`, { headers: as('foreign') })),
  check('management/forged', 'managementToken', get(`${permissions}/role`, { headers: as('forged') })),
  check('management/malformed', 'managementToken', get(`${permissions}/role`, { headers: as('malformed') })),
  check('management/expired', 'managementToken', get(`${permissions}/role`, { headers: as('expired') })),
  check(
    'management/cookie',
    'cookie',
    get(`${permissions}/policy`, {
      headers: { cookie: 'X-ArangoDB-Token-JWT={{good}}' },
      volatile: ['/names', '/page'],
    }),
  ),
  check(
    'management/scheme',
    'bearer',
    get(`${permissions}/policy?page=99999`, {
      headers: { authorization: 'BEARER {{good}}' },
      volatile: ['/page/items'],
    }),
  ),
  check(
    'management/second-space',
    'secondSpace',
    get(`${permissions}/policy`, { headers: { authorization: 'bearer  {{good}}' } }),
  ),
];

export const authenticationChecks: readonly Check[] = [
  ...identityChecks,
  ...tokenChecks,
  ...createChecks,
  ...sessionChecks,
  ...managementTokenChecks,
];
