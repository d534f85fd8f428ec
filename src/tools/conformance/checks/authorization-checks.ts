import { as, authz, type Check, check, get, permissions, post } from './check.js';

// Decisions and management that do not depend on the permissions of the deployment.

const asked = { action: 'verify:ask', resource: 'verify' };
const asStranger = { user: '{{stranger}}', ...asked };
const evaluate = (body: object) => post(`${authz}/evaluate`, body);

const evaluationChecks: readonly Check[] = [
  check('evaluate/nothing-matches', 'nothingMatches', evaluate(asStranger), evaluate({ ...asStranger, resource: '' })),
  check('evaluate/superuser', 'missingUser', evaluate(asked), evaluate({ ...asked, user: null })),
  check('evaluate/empty-user', 'missingUser', evaluate({ ...asked, user: '' })),
  check(
    'evaluate/context',
    'context',
    evaluate({ ...asStranger, context: { a: 'b' } }),
    evaluate({ ...asked, context: { a: 'b' } }),
  ),
  check('evaluate/empty-action', 'emptyAction', evaluate({ ...asStranger, action: '' })),
  check(
    'evaluate/empty-segments',
    'nothingMatches',
    ...['::', 'verify::ask', ':verify', 'verify:', '*', '*:*'].map((odd) =>
      post(`${authz}/evaluate-many`, {
        user: '{{stranger}}',
        items: [
          { action: 'verify:ask', resource: odd },
          { action: odd, resource: 'verify' },
        ],
      }),
    ),
  ),
  check('evaluate/empty', 'missingUser', evaluate({})),
  check('evaluate/roles', 'rolesCount', evaluate({ ...asStranger, roles: ['verify-nothing'] })),
  check('evaluate/shape', 'evaluate', evaluate({ ...asStranger, roles: [] })),
  check('evaluate-many/none', 'evaluateMany', post(`${authz}/evaluate-many`, { user: '{{stranger}}', items: [] })),
  check(
    'evaluate-many/order',
    'evaluateMany',
    post(`${authz}/evaluate-many`, { user: '{{stranger}}', items: [asked, asked] }),
  ),
  check(
    'evaluate-many/superuser',
    'evaluateMany',
    post(`${authz}/evaluate-many`, { items: [asked, { ...asked, action: '' }] }),
  ),
  check('evaluate-token/user', 'evaluateToken', post(`${authz}/evaluate-token`, { token: '{{user}}', ...asked })),
  check(
    'evaluate-token/superuser',
    'missingUser',
    post(`${authz}/evaluate-token`, { token: '{{superuser}}', ...asked }),
  ),
  check('evaluate-token/groups', 'rolesCount', post(`${authz}/evaluate-token`, { token: '{{groups}}', ...asked })),
  check('evaluate-token/foreign', 'evaluateToken', post(`${authz}/evaluate-token`, { token: '{{foreign}}', ...asked })),
  check('evaluate-token/forged', 'evaluateToken', post(`${authz}/evaluate-token`, { token: '{{forged}}', ...asked })),
  check('evaluate-token/expired', 'noLeeway', post(`${authz}/evaluate-token`, { token: '{{expired}}', ...asked })),
  check('evaluate-token/none', 'evaluateToken', post(`${authz}/evaluate-token`, asked)),
  check(
    'evaluate-token-many/user',
    'evaluateTokenMany',
    post(`${authz}/evaluate-token-many`, { token: '{{user}}', items: [asked] }),
  ),
  check(
    'evaluate-token-many/foreign',
    'evaluateTokenMany',
    post(`${authz}/evaluate-token-many`, { token: '{{foreign}}', items: [] }),
  ),
];

const unknown = `${permissions}/policy/{{stranger}}`;

const managementChecks: readonly Check[] = [
  check('management/validate', 'ownPermission', post(`${permissions}/validate`, asked, { headers: as('user') })),
  check(
    'management/validate-superuser',
    'ownPermission',
    post(`${permissions}/validate`, asked, { headers: as('superuser') }),
  ),
  check('management/validate-no-token', 'ownPermission', post(`${permissions}/validate`, asked)),
  check('management/unknown-policy', 'get', get(unknown, { headers: as('good') })),
  check('management/unknown-role', 'get', get(`${permissions}/role/{{stranger}}`, { headers: as('good') })),
  check(
    'management/no-bindings',
    'listBindings',
    get(`${permissions}/user/{{stranger}}/role`, { headers: as('good') }),
  ),
  check(
    'management/group-bindings',
    'groupBindings',
    get(`${permissions}/group/{{stranger}}/role`, { headers: as('good') }),
  ),
  check('management/denied', 'list', get(`${permissions}/policy`, { headers: as('user') })),
  check('management/permission-first', 'permissionFirst', post(unknown, {}, { headers: as('user') })),
  check(
    'management/keys',
    'publishedKeys',
    get('/_management/authentication/keys', { headers: as('good'), volatile: ['/keys', '/checksum'] }),
    get('/_management/authentication/keys', { volatile: ['/keys', '/checksum'] }),
  ),
];

export const authorizationChecks: readonly Check[] = [...evaluationChecks, ...managementChecks];
