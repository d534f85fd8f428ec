import {
  as,
  authn,
  authz,
  type Check,
  check,
  checkLoosely,
  get,
  getAs,
  permissions,
  post,
  postRaw,
  send,
} from './check.js';

// Paths, methods, queries, bodies and errors: none needs more than a token.

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const question = { user: 'arango-services-conformance', action: 'verify:ask', resource: 'verify' };
const question2 = JSON.stringify(question).slice(1, -1);

export const routingChecks: readonly Check[] = [
  check('routing/integration', 'unknownPath', get(`${authn}/verify-nothing`), post('/_integration/verify/v1/x', {})),
  check('routing/management', 'unknownPath', getAs('good', '/_management/verify-nothing')),
  check('routing/method', 'otherMethod', get(`${authn}/validate`), send('DELETE', `${authz}/evaluate`)),
  check('routing/method-management', 'otherMethod', send('PATCH', `${permissions}/policy`, { headers: as('good') })),
  check('routing/head', 'otherMethod', send('HEAD', `${authn}/identity`), send('OPTIONS', `${authn}/identity`)),
  // At an address of the services alone, another server answers what is not below `/_integration`.
  check(
    'routing/case',
    'exactPaths',
    get(`${authn}/IDENTITY`),
    get('/_Integration/authn/v1/identity', { statusOnly: true }),
  ),
  check('routing/empty-name', 'exactPaths', getAs('good', `${permissions}/policy/`)),
  check('routing/encoded-integration', 'decodedSegments', get('/_int%65gration/authn/v1/identity')),
  check('routing/slash', 'slash', getAs('good', `${permissions}/policy/a%2Fb`)),
  check(
    'query/unknown',
    'unknownParameters',
    getAs('good', `${permissions}/policy?verify=1&itemsPerPage=1&page=99999`, { volatile: ['/page/items'] }),
  ),
  checkLoosely('query/type', 'wrongParameters', getAs('good', `${permissions}/policy?page=x`)),
  check('query/twice', 'wrongParameters', getAs('good', `${permissions}/role?page=1&page=2`)),
  check('query/semicolon', 'readQuery', getAs('good', `${permissions}/policy?a;b`)),
  check('query/escape', 'readQuery', getAs('good', `${permissions}/role?a=%zz`)),
  check('query/logout', 'readQuery', get(`${authn}/logout?a;b`)),

  check('body/unknown-field', 'lenientBodies', post(`${authz}/evaluate`, { ...question, verify: [1] })),
  check('body/null-field', 'lenientBodies', post(`${authn}/validate`, { token: null })),
  check('body/missing', 'lenientBodies', send('POST', `${authn}/validate`)),
  check(
    'body/content-type',
    'lenientBodies',
    postRaw(`${authz}/evaluate`, `{${question2}}`, { headers: { 'content-type': 'text/plain' } }),
  ),
  checkLoosely(
    'body/wrong-type',
    'wrongBodies',
    post(`${authn}/validate`, { token: 5 }),
    post(`${authz}/evaluate`, { ...question, roles: 'a' }),
  ),
  checkLoosely('body/null-in-list', 'wrongBodies', post(`${authz}/evaluate`, { ...question, roles: [null] })),
  checkLoosely(
    'body/whole',
    'wrongBodies',
    postRaw(`${authz}/evaluate`, 'null'),
    postRaw(`${authz}/evaluate`, '[]'),
    postRaw(`${authn}/validate`, '"a"'),
  ),
  checkLoosely(
    'body/malformed',
    'wrongBodies',
    postRaw(`${authz}/evaluate`, '{"user":'),
    postRaw(`${authn}/validate`, 'verify'),
  ),
  checkLoosely('body/error-shape', 'errors', post(`${authn}/validate`, { token: {} }), get(`${authn}/identity`)),
  check('errors/unauthenticated', 'unauthenticated', get(`${permissions}/role`), get(`${authn}/identity`)),
  checkLoosely('body/duplicate', 'duplicateField', postRaw(`${authz}/evaluate`, `{${question2},"user":"b"}`)),
  checkLoosely(
    'body/duplicate-escaped',
    'duplicateField',
    postRaw(`${authz}/evaluate`, `{${question2},"\\u0075ser":"b"}`),
  ),
  check('body/case', 'caseSensitive', postRaw(`${authz}/evaluate`, `{${question2},"User":1,"x":1,"x":2}`)),
  checkLoosely('body/half-surrogate', 'halfSurrogate', postRaw(`${authz}/evaluate`, `{${question2},"x":"\\ud83d"}`)),
  checkLoosely('body/rest', 'restOfBody', postRaw(`${authz}/evaluate`, `{${question2}} rest`)),

  check('headers/json', 'json', post(`${authz}/evaluate`, question), get(`${permissions}/policy`)),
  check('headers/grpc-timeout', 'grpcTimeout', get(`${permissions}/policy`, { headers: { 'grpc-timeout': '1x' } })),
  check(
    'headers/no-deadline',
    'noDeadline',
    post(`${authz}/evaluate`, question, { headers: { 'grpc-timeout': '0S' } }),
  ),
  check(
    'headers/override',
    'methodOverride',
    postRaw(`${permissions}/policy`, '', {
      headers: { ...as('good'), ...form, 'x-http-method-override': 'GET' },
      volatile: ['/names', '/page'],
    }),
  ),
  check(
    'headers/no-override',
    'noOverride',
    postRaw(`${permissions}/policy`, '', {
      headers: { ...as('good'), 'content-type': 'application/json', 'x-http-method-override': 'GET' },
    }),
  ),
  check(
    'headers/forwarded',
    'forwardedHeader',
    get(`${authn}/identity`, { headers: { 'grpc-metadata-authorization': 'bearer {{good}}' } }),
  ),
  check(
    'headers/two-authorizations',
    'twoAuthorizations',
    get(`${authn}/identity`, { headers: { ...as('good'), 'grpc-metadata-authorization': 'bearer {{good}}' } }),
  ),
];
