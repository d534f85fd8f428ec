import { as, authn, type Check, check, checkLoosely, get, getAs, permissions, post } from './check.js';

// identity, validate, createToken, login and logout. Tokens are minted only for a name without bindings, and expire
// after a minute or an hour: nothing is stored.

const validate = (token: string) =>
  post(`${authn}/validate`, { token: `{{${token}}}` }, { volatile: ['/details/lifetime'] });
const cookie = (token: string) => ({ cookie: `X-ArangoDB-Token-JWT=${token}` });
const identity = (authorization: string) => get(`${authn}/identity`, { headers: { authorization } });
const mint = (body: object, more: object = {}) =>
  post(`${authn}/createToken`, { user: '{{stranger}}', ...body }, { volatile: ['/token'], ...more });

const identityChecks: readonly Check[] = [
  check('identity/no-token', 'identity', get(`${authn}/identity`)),
  check('identity/good', 'identity', identity('bearer {{user}}')),
  check('identity/own', 'identityOfSuperuser', identity('bearer {{good}}')),
  check('identity/superuser', 'identityOfSuperuser', identity('bearer {{superuser}}')),
  check('identity/query', 'identity', getAs('good', `${authn}/identity?user=verify&token={{good}}`)),
  check('identity/cookie', 'identity', get(`${authn}/identity`, { headers: cookie('{{good}}') })),
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
  check('validate/exp-zero', 'expZero', validate('exp-zero')),
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
    mint({}, { capture: { minted: '/token' } }),
    validate('minted'),
    getAs('minted', `${authn}/identity`),
  ),
  check('create/caller', 'whoIsChecked', mint({}, { headers: as('good') })),
  check('create/gate', 'gateRefusal', mint({}, { headers: as('user') })),
];

const sessionChecks: readonly Check[] = [
  check('login/empty', 'login', post(`${authn}/login`, {})),
  check(
    'login/refused',
    'login',
    post(`${authn}/login`, { credentials: { username: '{{stranger}}', password: 'no' } }),
  ),
  check('logout/nothing', 'logout', get(`${authn}/logout`)),
  check('logout/cookie', 'logout', get(`${authn}/logout`, { headers: cookie('verify') })),
  check('logout/location', 'logout', get(`${authn}/logout?location=%2Fverify`)),
  check('session/short-identity', 'shortNames', get('/_identity'), getAs('good', '/_identity')),
  check('session/short-login', 'shortNames', post('/_login', {})),
];

const managementTokenChecks: readonly Check[] = [
  check('management/no-token', 'managementToken', get(`${permissions}/policy`)),
  check(
    'management/basic',
    'managementToken',
    get(`${permissions}/policy`, { headers: { authorization: 'basic dmVyaWZ5Og==' } }),
  ),
  check('management/foreign', 'managementToken', getAs('foreign', `${permissions}/role`)),
  check('management/forged', 'managementToken', getAs('forged', `${permissions}/role`)),
  check('management/malformed', 'managementToken', getAs('malformed', `${permissions}/role`)),
  check('management/expired', 'managementToken', getAs('expired', `${permissions}/role`)),
  check(
    'management/cookie',
    'cookie',
    get(`${permissions}/policy`, { headers: cookie('{{good}}'), volatile: ['/names', '/page'] }),
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
